// Unit words in all our languages, the same as in homeshelf/shopping/units.py. They are fetched when the person
// starts typing, so that the list loads faster.
import { foldWord } from "../unit-words.js";

/** @param {string[]} texts */
function words(...texts) {
  return new Set(texts.flatMap((text) => text.trim().split(/\s+/).map(foldWord)));
}

/** @param {string} text */
function phrases(text) {
  return new Set(text.split(",").map((each) => foldWord(each.trim())));
}

/** These count only after figures: "a m" and "une l" are something else. */
export const SHORT_MEASURES = words("mg g gr grs hg ml cl dl l lt lts ltr mm cm m oz lb lbs pt qt gal غ غم جم مل سم");
const ARABIC_MEASURES = words(
  `كيلو كيلوين كيلوغرام كيلوجرام كغ كغم كجم كلغ غرام غرامات جرام جرامات لتر ليتر لترات لترين رطل أرطال متر
  أمتار`,
);
const LONG_MEASURES = words(
  `kg kgs kilo kilos gram grams kilogram kilograms pound pounds ounce ounces litre litres liter liters pint
  pints gallon gallons metre metres meter meters`,
  `gramm kilogramm milliliter pfund`,
  `gramme grammes kilogramme kilogrammes centilitre centilitres demi-kilo demi-litre mètre mètres`,
  `gramo gramos kilogramo kilogramos litro litros libra libras metro metros`,
  `hekto deciliter centiliter`,
);
export const MEASURES = new Set([...SHORT_MEASURES, ...ARABIC_MEASURES, ...LONG_MEASURES]);
const GERMAN = words(
  `flasche flaschen dose dosen glas gläser glaeser packung packungen päckchen paeckchen pck pckg pkg pkt paket
  pakete beutel tüte tüten tuete tueten kiste kisten kasten kästen bund bünde bündel becher scheibe scheiben
  rolle rollen dutzend tafel tafeln tube tuben stange stangen kopf köpfe zehe zehen knolle knollen netz netze
  sack säcke schale schalen karton kartons riegel laib laibe zweig zweige korb körbe körbchen kanister sixpack
  sixpacks paar handvoll würfel`,
);
const SWEDISH = words(
  `flaska flaskor burk burkar paket påse påsar förpackning förpackningar förp frp fp ask askar knippe knippen
  rulle rullar skiva skivor dussin bunt buntar kruka krukor nät klyfta klyftor tub tuber kartong kartonger
  låda lådor backar flak limpa limpor bit bitar huvud huvuden par kasse kassar säck säckar näve glas`,
);
const ARABIC = words(
  `علبة علب علبتين زجاجة زجاجات زجاجتين قارورة قوارير قنينة قناني كيس أكياس كيسين حزمة حزم حزمتين باقة باقات
  ربطة ربطات ربطتين صندوق صناديق كرتونة كرتون كراتين عبوة عبوات عبوتين مرطبان برطمان باكيت باكيتات دزينة درزن
  رغيف رغيفين أرغفة شريحة شرائح لفة لفات رأس رؤوس فص فصوص طبق حبتين قطعتين`,
);
const OTHERS = words(
  `bottles cans tins jars boxes bags pack packs packets cartons bunches loaves slices rolls pots cups dozen
  half-dozen tubs tubes sacks punnet punnets crates cases heads cloves sticks bars blocks pair pairs six-pack
  six-packs couple handful`,
  `bouteille bouteilles boîte boîtes paquet paquets sachet sachets tranche tranches botte bottes rouleau
  rouleaux douzaine douzaines demi-douzaine sac sacs brique briques canette canettes bocal bocaux barquette
  barquettes plaquette plaquettes tablette tablettes gousse gousses tête têtes branche branches caisse caisses
  cageot cageots flacon flacons bouquet bouquets poignée poignées paire paires`,
  `botella botellas lata latas paquete paquetes bolsa bolsas caja cajas tarro tarros docena docenas bote botes
  brik briks cartones barra barras manojo manojos racimo racimos malla mallas sobre sobres frasco frascos
  garrafa garrafas rollo rollos rebanada rebanadas loncha lonchas diente dientes cabeza cabezas bandeja
  bandejas tarrina tarrinas tableta tabletas tubo tubos saco sacos pares puñado puñados`,
);
const CONTAINERS = new Set([...GERMAN, ...SWEDISH, ...ARABIC, ...OTHERS]);
/** These are units only before "of": there are can openers and pot plants. */
const CONTAINERS_OF = words(
  `bottle can tin jar box bag packet carton bunch loaf slice roll pot cup crate case head clove stick bar block`,
);
export const PIECES = words(
  `pc pcs piece pieces stk st stück stueck styck stycken pièce pièces unité unités pieza piezas pz ud uds
  unidad unidades حبة حبات قطعة قطع`,
);
export const UNITS = new Set([...MEASURES, ...CONTAINERS, ...PIECES]);
export const UNITS_OF = new Set([...UNITS, ...CONTAINERS_OF]);
const ALSO_OTHER_THINGS = words("sack tube karton ask bunt tub bit par kasse limpa würfel طبق شريحة شرائح");
/** These need no number if their content follows directly: "Bund Dill". */
export const FIRST_WORDS = new Set(
  [...GERMAN, ...SWEDISH, ...ARABIC, ...ARABIC_MEASURES, "dozen", "half-dozen"].filter(
    (each) => !ALSO_OTHER_THINGS.has(each),
  ),
);
/** These count only before a unit: "Seven Up" has its name. */
export const NUMBERS = phrases(
  `a, an, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, half, half a, half an, one
  and a half, two and a half, ein, eine, einen, zwei, drei, vier, fünf, sechs, sieben, acht, neun, zehn, elf,
  zwölf, halbe, halbes, halber, halben, ein halbes, eine halbe, einen halben, ein halber, anderthalb,
  eineinhalb, zweieinhalb, viertel, ein viertel, dreiviertel, un, une, deux, trois, quatre, cinq, sept, huit,
  neuf, dix, onze, douze, demi, demie, un demi, une demi, une demie, un quart de, trois quarts de, una, uno,
  dos, tres, cuatro, cinco, seis, siete, ocho, nueve, diez, once, doce, medio, media, un cuarto de, cuarto de,
  tres cuartos de, en, ett, två, tre, fyra, fem, sex, sju, åtta, nio, tio, elva, tolv, halv, halvt, en halv,
  ett halvt, en och en halv, ett och ett halvt, två och ett halvt, نصف, نص, ربع, ثلث, واحد, واحدة, اثنان,
  اثنين, ثلاث, ثلاثة, أربع, أربعة, خمس, خمسة, ست, ستة, سبع, سبعة, ثمان, ثماني, ثمانية, تسع, تسعة, عشر, عشرة`,
);
/** These may follow a unit: "un kilo et demi". */
export const HALVES = phrases("and a half, et demi, et demie, y medio, y media, ونصف, ونص, وربع");
export const OF = words("of von vom de des du del av من");
/** These are never the content of a container: "bolsas de basura" are bought as such, "boîte à outils" too. */
export const NO_CONTENTS = words(
  `a for with and or für mit ohne und oder gross klein leer pour avec sans et ou para con sin y o med och utan
  eller و مع`,
  `basura aseo herramientas labios primavera poubelle poubelles congélation aspirateur fleurs sport rangement
  outils conserve printemps pluie hiver neige caoutchouc`,
  `نوم قمامة زبالة نفايات مخدة وسادة غداء أدوات عنق`,
);
/** Words whose number is no count: "nappies size 4". */
export const BEFORE_NUMBERS = words(
  `size no n° nº nr number num type step stage factor spf größe groesse gr nummer typ stufe faktor lsf taille
  numéro talla tamaño número tipo storlek stl strl مقاس رقم نوع`,
);
/** Words after a number that are nothing to buy: "2 % milk", "3 in 1 oil". */
export const NO_THINGS = new Set([...MEASURES, ...words("x % ٪ in en i في")]);
