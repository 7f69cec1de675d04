/** Numbers as people write them: in words, with parts, with commas between their thousands. */

const WRITTEN: ReadonlyMap<string, number> = new Map([
  ...("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
    "seventeen eighteen nineteen").split(" ").map((word, i) => [word, i + 1] as const),
  ...("twenty thirty forty fifty sixty seventy eighty ninety".split(" "))
    .map((word, i) => [word, 10 * i + 20] as const),
]);

/** A word of a number that is written out. */
export const NUMBER_WORD: string = ["hundred", "thousand", ...WRITTEN.keys()].join("|");

/** "Six", "fifty", "fifty-five", "a hundred and fifty". */
export const WRITTEN_NUMBER: string = String
  .raw`(?:\ban?[\s-]+(?=hundred|thousand))?(?:${NUMBER_WORD})(?:[\s-]+(?:and[\s-]+)?(?:${NUMBER_WORD}))*`;

/** "Five hundred" as 500; null where no number is written. */
export function writtenNumber(words: string): number | null {
  let [whole, part] = [0, 0];
  for (const word of words.toLowerCase().split(/[\s-]+/)) {
    if (word === "hundred") part = Math.max(1, part) * 100;
    else if (word === "thousand") [whole, part] = [whole + Math.max(1, part) * 1000, 0];
    else part += WRITTEN.get(word) ?? 0;
  }
  return whole + part === 0 ? null : whole + part;
}

/** Signs of parts, as they are also written. */
const SPELLED: Readonly<Record<string, string>> = { "½": " 1/2", "¼": " 1/4", "¾": " 3/4" };
const DECIMALS: Readonly<Record<string, string>> = { "1/2": ".5", "1/4": ".25", "3/4": ".75" };
/** A whole number with a part: "6 1/2"; of "3/8 1/2" neither is. */
const MIXED = /(?<![\d./])(\d+)[\s-]*(1\/2|1\/4|3\/4)(?!\d)/g;

/** "6½" as "6.5". */
export const withDecimals = (text: string): string =>
  text.replace(/[½¼¾]/g, (sign) => SPELLED[sign] ?? sign)
    .replace(MIXED, (_, whole: string, part: string) => whole + (DECIMALS[part] ?? ""));

/** A number with commas between its thousands: "10,000". */
const THOUSANDS = /(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g;

/** "10,000" as "10000". */
export const withoutCommas = (text: string): string =>
  text.replace(THOUSANDS, (number) => number.replaceAll(",", ""));
