// Words that say how much of something, in all our languages; the same as in homeshelf/shopping/typed.py.
import { plain } from "./names.js";

const MEASURES = words(
  `mg g hg kg ml cl dl l mm cm m oz lb lbs pt qt gal
  gram grams gramm gramme grammes gramo gramos kilo kilos pfund pound pounds ounce ounces
  litre litres liter liters litro litros pint pints gallon gallons
  كيلو كغ غ غرام جرام لتر مل`,
);
const CONTAINERS = words(
  `bottles cans tins jars boxes bags packs packets cartons bunches loaves slices rolls pots cups dozen
  flasche flaschen dose dosen glas gläser packung packungen päckchen pck pkg beutel tüte tüten
  kiste kisten kasten kästen bund becher scheibe scheiben rolle rollen dutzend
  bouteille bouteilles boîte boîtes paquet paquets sachet sachets tranche tranches botte bottes
  rouleau rouleaux douzaine
  botella botellas lata latas paquete paquetes bolsa bolsas caja cajas tarro tarros docena
  flaska flaskor burk burkar paket påse påsar förpackning förpackningar ask askar knippe rulle
  rullar skiva skivor dussin
  علبة علب زجاجة زجاجات كيس أكياس`,
);
/** They say how much only before "of": there are can openers and pot plants. */
const CONTAINERS_OF = words("bottle can tin jar box bag pack packet carton bunch loaf slice roll pot cup");
export const PIECES = words(
  `pc pcs piece pieces stk st stück styck pièce pièces pieza piezas ud uds unidad unidades
  حبة حبات قطعة قطع`,
);
export const UNITS = new Set([...MEASURES, ...CONTAINERS, ...PIECES]);
export const UNITS_OF = new Set([...UNITS, ...CONTAINERS_OF]);
/** What may follow a number and is nothing to buy so many of: "2 % milk", "3 in 1 oil". */
export const NO_THINGS = new Set([...MEASURES, "x", "%", "in"]);

/** @param {string} text */
function words(text) {
  return new Set(text.trim().split(/\s+/).map(plain));
}
