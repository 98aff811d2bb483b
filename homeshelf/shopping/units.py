"""Words for amounts in all languages, because families mix them; `units.js` has the same."""

from homeshelf.folding import plain


def fold_word(text: str) -> str:
    return plain(text).rstrip(".").replace("\u0629", "\u0647")


def _words(*texts: str) -> frozenset[str]:
    return frozenset(fold_word(each) for text in texts for each in text.split())


def _phrases(text: str) -> frozenset[str]:
    return frozenset(fold_word(each.strip()) for each in text.split(","))


SHORT_MEASURES = _words(
    "mg g gr grs hg ml cl dl l lt lts ltr mm cm m oz lb lbs pt qt gal غ غم جم مل سم"
)
"""Measures that need digits, because "a m" and "une l" mean something else."""
_ARABIC_MEASURES = _words(
    "كيلو كيلوين كيلوغرام كيلوجرام كغ كغم كجم كلغ غرام غرامات جرام جرامات لتر ليتر لترات لترين "
    "رطل أرطال متر أمتار"
)
MEASURES = (
    SHORT_MEASURES
    | _ARABIC_MEASURES
    | _words(
        "kg kgs kilo kilos gram grams kilogram kilograms pound pounds ounce ounces litre litres "
        "liter liters pint pints gallon gallons metre metres meter meters",
        "gramm kilogramm milliliter pfund",
        "gramme grammes kilogramme kilogrammes centilitre centilitres demi-kilo demi-litre "
        "mètre mètres",
        "gramo gramos kilogramo kilogramos litro litros libra libras metro metros",
        "hekto deciliter centiliter",
    )
)
_GERMAN = _words(
    "flasche flaschen dose dosen glas gläser glaeser packung packungen päckchen paeckchen pck pckg "
    "pkg pkt paket pakete beutel tüte tüten tuete tueten kiste kisten kasten kästen bund bünde "
    "bündel becher scheibe scheiben rolle rollen dutzend tafel tafeln tube tuben stange stangen "
    "kopf köpfe zehe zehen knolle knollen netz netze sack säcke schale schalen karton kartons "
    "riegel laib laibe zweig zweige korb körbe körbchen kanister sixpack sixpacks paar handvoll "
    "würfel"
)
_SWEDISH = _words(
    "flaska flaskor burk burkar paket påse påsar förpackning förpackningar förp frp fp ask askar "
    "knippe knippen rulle rullar skiva skivor dussin bunt buntar kruka krukor nät klyfta klyftor "
    "tub tuber kartong kartonger låda lådor backar flak limpa limpor bit bitar huvud huvuden par "
    "kasse kassar säck säckar näve glas"
)
_ARABIC = _words(
    "علبة علب علبتين زجاجة زجاجات زجاجتين قارورة قوارير قنينة قناني كيس أكياس كيسين حزمة حزم "
    "حزمتين باقة باقات ربطة ربطات ربطتين صندوق صناديق كرتونة كرتون كراتين عبوة عبوات عبوتين مرطبان "
    "برطمان باكيت باكيتات دزينة درزن رغيف رغيفين أرغفة شريحة شرائح لفة لفات رأس رؤوس فص فصوص "
    "طبق حبتين قطعتين"
)
CONTAINERS = (
    _GERMAN
    | _SWEDISH
    | _ARABIC
    | _words(
        "bottles cans tins jars boxes bags pack packs packets cartons bunches loaves slices rolls "
        "pots cups dozen half-dozen tubs tubes sacks punnet punnets crates cases heads cloves "
        "sticks bars blocks pair pairs six-pack six-packs couple handful",
        "bouteille bouteilles boîte boîtes paquet paquets sachet sachets tranche tranches botte "
        "bottes rouleau rouleaux douzaine douzaines demi-douzaine sac sacs brique briques canette "
        "canettes bocal bocaux barquette barquettes plaquette plaquettes tablette tablettes gousse "
        "gousses tête têtes branche branches caisse caisses cageot cageots flacon flacons bouquet "
        "bouquets poignée poignées paire paires",
        "botella botellas lata latas paquete paquetes bolsa bolsas caja cajas tarro tarros docena "
        "docenas bote botes brik briks cartones barra barras manojo manojos racimo racimos malla "
        "mallas sobre sobres frasco frascos garrafa garrafas rollo rollos rebanada rebanadas "
        "loncha lonchas diente dientes cabeza cabezas bandeja bandejas tarrina tarrinas tableta "
        "tabletas tubo tubos saco sacos pares puñado puñados",
    )
)
CONTAINERS_OF = _words(
    "bottle can tin jar box bag packet carton bunch loaf slice roll pot cup crate case head clove "
    "stick bar block"
)
"""Containers that are units only before "of": a "can of peas", but no "can opener"."""
PIECES = _words(
    "pc pcs piece pieces stk st stück stueck styck stycken pièce pièces unité unités pieza piezas "
    "pz ud uds unidad unidades حبة حبات قطعة قطع"
)
UNITS = MEASURES | CONTAINERS | PIECES
UNITS_OF = UNITS | CONTAINERS_OF
FIRST_WORDS = (
    _GERMAN | _SWEDISH | _ARABIC | _ARABIC_MEASURES | _words("dozen half-dozen")
) - _words("sack tube karton ask bunt tub bit par kasse limpa würfel طبق شريحة شرائح")
"""Units that need no number, as in "Bund Dill", except for ambiguous words."""

NUMBERS = _phrases(
    "a, an, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, half, "
    "half a, half an, one and a half, two and a half, "
    "ein, eine, einen, zwei, drei, vier, fünf, sechs, sieben, acht, neun, zehn, elf, zwölf, "
    "halbe, halbes, halber, halben, ein halbes, eine halbe, einen halben, ein halber, anderthalb, "
    "eineinhalb, zweieinhalb, viertel, ein viertel, dreiviertel, "
    "un, une, deux, trois, quatre, cinq, sept, huit, neuf, dix, onze, douze, demi, demie, "
    "un demi, une demi, une demie, un quart de, trois quarts de, "
    "una, uno, dos, tres, cuatro, cinco, seis, siete, ocho, nueve, diez, once, doce, medio, media, "
    "un cuarto de, cuarto de, tres cuartos de, "
    "en, ett, två, tre, fyra, fem, sex, sju, åtta, nio, tio, elva, tolv, halv, halvt, en halv, "
    "ett halvt, en och en halv, ett och ett halvt, två och ett halvt, "
    "نصف, نص, ربع, ثلث, واحد, واحدة, اثنان, اثنين, ثلاث, ثلاثة, أربع, أربعة, خمس, خمسة, ست, ستة, "
    "سبع, سبعة, ثمان, ثماني, ثمانية, تسع, تسعة, عشر, عشرة"
)
"""Number words, which count only before a unit: "Seven Up" is a name."""
LONGEST_NUMBER = 4
HALVES = _phrases("and a half, et demi, et demie, y medio, y media, ونصف, ونص, وربع")
"""Fractions after a unit, as in "un kilo et demi"."""

OF = _words("of von vom de des du del av من")
NO_CONTENTS = _words(
    "a for with and or für mit ohne und oder gross klein leer pour avec sans et ou "
    "para con sin y o med och utan eller و مع",
    "basura aseo herramientas labios primavera poubelle poubelles congélation aspirateur fleurs "
    "sport rangement outils conserve printemps pluie hiver neige caoutchouc",
    "نوم قمامة زبالة نفايات مخدة وسادة غداء أدوات عنق",
)
"""Words that are never contents: "bolsas de basura" and "boîte à outils" are names."""
BEFORE_NUMBERS = _words(
    "size no n° nº nr number num type step stage factor spf "
    "größe groesse gr nummer typ stufe faktor lsf "
    "taille numéro talla tamaño número tipo storlek stl strl مقاس رقم نوع"
)
"""Words whose number is no count: "nappies size 4", "Mehl Type 405"."""
NO_THINGS = MEASURES | _words("x % ٪ in en i في")
"""Words after a number that is not a count: "2 % milk", "3 in 1 oil"."""
