/** A product's name as a noun: its article, its number and its spelling. */
import { once } from "../../core/once.ts";
import { article, isPlural, plural } from "../lexicon/grammar.ts";
import { lexicon } from "../lexicon/lexicon.ts";

/** A product as a noun that sentences can be built with. */
export interface Noun {
  /** As it stands in a list: "running shoes", "office chair", "sunscreen". */
  readonly bare: string;
  readonly number: "plural" | "mass" | "one";
}

/** Spellings that lower-case phrases lose. */
const SPELLINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    tv: "TV",
    aa: "AA",
    aaa: "AAA",
    mx: "MX",
    pc: "PC",
    usb: "USB",
    "usb-c": "USB-C",
    ssd: "SSD",
    cpu: "CPU",
    gpu: "GPU",
    gps: "GPS",
    led: "LED",
    hdmi: "HDMI",
    mp3: "MP3",
    cd: "CD",
    dvd: "DVD",
    dslr: "DSLR",
    vr: "VR",
    cpap: "CPAP",
    lego: "LEGO",
    rc: "RC",
    dj: "DJ",
    "3d": "3D",
    av: "AV",
    htpc: "HTPC",
    nas: "NAS",
    psu: "PSU",
    iem: "IEM",
    spf: "SPF",
    bb: "BB",
    uv: "UV",
    bmx: "BMX",
    edc: "EDC",
    obd: "OBD",
    pa: "PA",
    mtb: "MTB",
    ups: "UPS",
    dac: "DAC",
    kvm: "KVM",
    ipad: "iPad",
    iphone: "iPhone",
    macbook: "MacBook",
    ipod: "iPod",
    kindle: "Kindle",
    diy: "DIY",
    ram: "RAM",
    itx: "ITX",
    atx: "ATX",
    hd: "HD",
    hvac: "HVAC",
    suv: "SUV",
    bbq: "BBQ",
    dutch: "Dutch",
    ip: "IP",
    pcb: "PCB",
    "blu-ray": "Blu-ray",
    bluetooth: "Bluetooth",
    japanese: "Japanese",
    french: "French",
    linux: "Linux",
    android: "Android",
    xbox: "Xbox",
    doesnt: "doesn't",
    dont: "don't",
    wont: "won't",
    cant: "can't",
    isnt: "isn't",
  }),
);

/** Last words that no article goes with, whatever the word lists say of the kind. */
const UNCOUNTED =
  /(?:^| )(?:(?:birth|edge|weed|pest) control|(?<!fixed )gear|(?<!measuring |cassette )tape|equipment|furniture|clothing|luggage|jewelry|makeup|software|hardware|paint|ink|oil|soap|lubricant|fabric|leather|insulation|flooring|chainmail|art|underwear|footwear|sleepwear|swimwear|activewear|cookware|dinnerware|glassware)$/;

/** Last words of members of families called by a mass noun that are mass nouns themselves: not "bracelet", of jewelry. */
const MASS = new Set(
  ("absinthe antifreeze artwork balm batting beer blush bodywash bronzer burlap cardstock " +
    "care caulk charcoal clay concealer contour coolant cordura cream cutlery decor denim " +
    "detergent dye elastic epoxy eyeliner eyeshadow feed felt fiber filament film finish " +
    "flatware fleece floss fluid foam food foundation fur gel gesso gin glitter glue goo " +
    "gouache grout hide interfacing jersey jewellery kohl litter lotion lumber makeup mascara " +
    "mastic mezcal mist muslin neoprene nylon paper paracord pigment podge polish powder " +
    "primer putty repellent resin ripstop rope roving rum salt sanitizer sauce scrub sculpey " +
    "sealant shadow shampoo silnylon silverware soil spray stock sunscreen tableware tack tea " +
    "tequila thinset thread toner toothpaste tulle vermouth vinyl vodka wallpaper wash " +
    "watercolor watercolour webbing whiskey wine wool yarn").split(" "),
);

/** Sizes and series of a letter and digits, but for the processors that are "i5". */
const SERIES = /^(?!i)[a-z]\d{1,2}$/;

/** Words as they are spelled: "usb-c" is "USB-C", "a5" is "A5". */
export function spelled(words: string): string {
  return words.split(" ")
    .map((word) => SPELLINGS.get(word) ?? (SERIES.test(word) ? word.toUpperCase() : word)).join(
      " ",
    );
}

/** A word of a value, and one of a text. */
const VALUE_WORD = /[\p{L}\p{N}][\p{L}\p{N}+-]*/gu;
/** Of so much of each post how words are spelled is seen. */
const SPELLED_CHARACTERS = 2_000;
/** A word behind any of these has its capital from where it stands: "Other: Long battery life". */
const BEGINNINGS = /[.!?:;|•*\n]+|\s[-–—]\s/;
/** A sentence that begins nearly every word with a capital says nothing of how each is written. */
const SHOUTED = 0.5;

const sentencesOf = (post: string): string[] => post.slice(0, SPELLED_CHARACTERS).split(BEGINNINGS);

/**
 * Spells words as posts write them, where most do so with capitals in the middle of their sentences: values are
 * kept in small letters ("freenas").
 */
export function spelledAsIn(
  posts: readonly string[],
  values: readonly string[],
): (text: string) => string {
  const known = new Set(values.flatMap((value) => value.match(VALUE_WORD) ?? []));
  const forms = new Map<string, Map<string, number>>();
  for (const sentence of posts.flatMap(sentencesOf)) {
    const [, ...words] = sentence.match(VALUE_WORD) ?? [];
    const capitals = words.filter((word) => word !== word.toLowerCase()).length;
    if (capitals > SHOUTED * words.length) continue;
    for (const word of words) {
      const plain = word.toLowerCase();
      if (!known.has(plain)) continue;
      const counts = forms.get(plain) ?? new Map<string, number>();
      forms.set(plain, counts.set(word, (counts.get(word) ?? 0) + 1));
    }
  }
  const spelling = new Map<string, string>();
  for (const [plain, counts] of forms) {
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const [form, most] = [...counts].reduce((a, b) => b[1] > a[1] ? b : a);
    if (form !== plain && most > 1 && 2 * most > all) spelling.set(plain, form);
  }
  return (text) => text.replace(VALUE_WORD, (word) => spelling.get(word.toLowerCase()) ?? word);
}

/** Names that posts weigh or own and that are no maker's: they keep their small letters. */
const COMMON_NAME =
  /^(?:(?:carbon|stainless|cast|enamell?ed|ceramic|non-?stick|used|refurbished|generic|no name|store brand) ?)*(?:steel|iron|wood|leather|cotton|wool|merino|linen|silk|down|foam|latex|bamboo|aluminium|aluminum|titanium|plastic|glass|ceramic|copper|gel|oled|gas|electric|induction|diy)?$/;

/** A product that posts name. */
interface ProductName {
  /** As its maker spells it, or with capitals. */
  readonly name: string;
  /** Whether it is a model, which "the" goes before, and no maker or material. */
  readonly isModel: boolean;
  /** Whether it begins with a maker's name that the word lists hold. */
  readonly isKnown: boolean;
}

const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** Makers in their usual spelling, by their letters. */
const makers = once((): ReadonlyMap<string, string> =>
  new Map([...lexicon().brands.keys()].map((name) => [letters(name), name]))
);

/**
 * A product's name in the spelling of its maker: "lumeo b20" is "Lumeo B20", a model; "levis" is
 * "Levi's", a maker.
 */
export function productNamed(text: string): ProductName {
  if (COMMON_NAME.test(text) || lexicon().kinds.has(text)) {
    return { name: spelled(text), isModel: false, isKnown: false };
  }
  const words = text.split(" ");
  for (let end = words.length; end > 0; end--) {
    const maker = makers().get(letters(words.slice(0, end).join("")));
    if (maker === undefined) continue;
    const rest = words.slice(end).map(capitals);
    return { name: [maker, ...rest].join(" "), isModel: rest.length > 0, isKnown: true };
  }
  const isModel = words.length > 1 || /\d/.test(text);
  return { name: words.map(capitals).join(" "), isModel, isKnown: false };
}

/** "b20" is "B20", "xt" is "XT", "go" is "Go". */
function capitals(word: string): string {
  const known = spelled(word);
  if (known !== word) return known;
  return /\d/.test(word) || /^[^aeiouy]{2,3}$/.test(word) ? word.toUpperCase() : capital(word);
}

/** A product's name as a phrase: "the Lumeo B20" of a model, "Levi's" of anything else. */
export function withThe(text: string): string {
  const { name, isModel } = productNamed(text);
  return isModel ? `the ${name}` : name;
}

/** Kinds named by one of a pair of blades or jaws. */
const OF_PAIRS = /(?:^| )(?:shear|scissor|plier|clipper|tweezer|lopper)$/;

/** The noun for a product phrase of a kind; the kind's number decides, then the phrase's last word. */
export function nounOf(product: string, kind: string): Noun {
  const bare = spelled(product === "" ? kind : product).replace(OF_PAIRS, "$&s");
  const last = bare.slice(bare.lastIndexOf(" ") + 1);
  // "moisturizer with spf": the noun is what stands before the preposition.
  const head = bare.split(/ (?:with|for|of|and) /)[0] ?? bare;
  if (isPlural(head.slice(head.lastIndexOf(" ") + 1)) || isPlural(last)) {
    return { bare, number: "plural" };
  }
  if (UNCOUNTED.test(head)) return { bare, number: "mass" };
  const known = lexicon().kinds.get(product) ?? lexicon().kinds.get(kind);
  const isMass = known?.mass === true && (!known.member || MASS.has(last));
  return { bare, number: isMass ? "mass" : "one" };
}

/**
 * The noun with what stands `before` it and the article that both take: "a kettle", "an open
 * kettle", "headphones", "sunscreen".
 */
export function withArticle(noun: Noun, before = ""): string {
  const phrase = before === "" ? noun.bare : `${before} ${noun.bare}`;
  return noun.number === "one" ? `${article(phrase)} ${phrase}` : phrase;
}

/** The noun for more than one: "kettles", "headphones", "sunscreen". */
export function many(noun: Noun): string {
  return noun.number === "one" ? plural(noun.bare) : noun.bare;
}

/** The first letter in upper case, where the word has no spelling of its own. */
export function capital(text: string): string {
  return /^\p{Ll}\p{Lu}/u.test(text) ? text : text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A list as a phrase: "one, two and three"; "" of an empty one. */
export function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} and ${last}`;
}

const UP_TO_TEN = "no one two three four five six seven eight nine ten".split(" ");
/** Made once: making one costs more than all the rest of a card's words. */
const DIGITS = new Intl.NumberFormat("en-US");

/** A whole number as a person writes it: words from "no" to "ten", then digits with commas. */
export function count(value: number): string {
  return UP_TO_TEN[value] ?? DIGITS.format(value);
}
