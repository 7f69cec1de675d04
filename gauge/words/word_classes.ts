/** Classes of words: of grammar, of asking, of people and services, and how names and amounts are written. */
import { singular } from "../../mining/lexicon/grammar.ts";
import { lexicon } from "../../mining/lexicon/lexicon.ts";

/** A set of words that a text lists. */
export const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Words that mean something by themselves (null), or only behind one of these words: "than" behind "other". */
export type MarkWords = ReadonlyMap<string, ReadonlySet<string> | null>;

/** Whether a word is one of the marks, with the word before it. */
export function isMark(marks: MarkWords, word = "", before = ""): boolean {
  const behind = marks.get(word);
  return behind === null || behind?.has(before) === true;
}

/**
 * Last words of phrases that name no physical product: "bike rental" asks for no bike. A product that
 * ends in one of them ("board game") is one by the lexicon, which is asked first.
 */
const SERVICES = wordSet(
  `accounting advising advisor advisors agencies agency agent agents airline airlines app application
applications apps attorney babysitter babysitters babysitting bank banking barber barbers blog
blogs booking bookings carpenter carpenters catering class classes cleaning coach coaches coaching
concert concerts consultant consultants consultation consulting contract contractor contractors
contracts counseling course courses credit customization dealership dealerships degree delivery
dentist dentists download downloads ebook ebooks education electrician electricians email emulator
emulators financing firmware flight flights forum forums freelancer freelancers game games
grooming guide guides haircut haircuts handyman hire hospital hospitals hosting hotel hotels
installation insurance insurances internship internships job jobs landscaper landscaping lawyer
lawyers lease leases leasing lesson lessons license licenses loan loans marketing massage massages
mechanic mechanics membership memberships mortgage movie movies nannies nanny nutritionist parking
photographer photographers photography plan plans plumber plumbers plumbing podcast podcasts
program programs quote quotes realtor realtors rent rental rentals renting repair repairs
reservation reservations restaurant restaurants restoration ringtone ringtones salon salons
seminar seminars service services servicing shipping show shows site sites sitter sitters sitting
software song songs store stores subscription subscriptions surgeries surgery tailor tailors taxi
taxis teacher teachers teaching technician technicians therapies therapist therapists therapy
ticket tickets tours trainer trainers translation translator translators trip trips tuition tutor
tutorial tutorials tutoring tutors vacation vacations venue venues vet vets videogame videogames
videographer videographers walker walkers warranties warranty webinar webinars website websites
workshop workshops`,
);

/** Words that ask, praise, count or tell a price, and say nothing of the product. */
const ASKING = wordSet(
  `advice affordable alternative alternatives amazing anybody anyone anything awesome bargain best better brand branded
brands bucks budget buy buyer buyers buying cheap cheaper cheapest choice choices consumer consumers cost costs customer
customers day days deal deals decent demand dollar dollars euro euros every excellent expensive find finding folks foot ft
good gram grams great high hour hours idea ideas ideal inch inches inexpensive interest interested item items kg
know lb lbs liter liters litre litres looking make makes market minute minutes mm model models month months need needed
needing needs new nice one option options opinion opinions ounce ounces oz pair pairs people perfect person please popular pound
pounds premium price priced prices product products purchase quality quid recommend recommendation recommendations
recommended recommending reliable replacement replacements review reviews sale search searching sell selling seller
shopping somebody someone something spend start stuff substitute suggestion suggestions thing things top trend trending
trends type types under upgrade usd use used user users using want wanted wanting wants watt watts way ways week weeks
work works year years yet cant couldnt didnt doesnt dont hasnt havent im isnt arent ive wasnt werent whats wont
wouldnt cm gb tb mb ml hz w v get gets getting got ones fit fits hold holds keep keeps put go goes come comes able help
helps let lets sort kind style worth ask asks asked asking seek seeking suggest else would
made sold designed meant intended suitable compatible similar unmet also currently really actually now today rather
validate validating validation viable viability assess assessing evaluate evaluating exist exists complain complains complaining complaint complaints suspected frustrated struggle struggles struggling
awful terrible horrible honestly lot lots suited theyre youre weve youve theyve hes shes theres
many much few several too lol pls plz rn ppl btw omg thx yo ok okay hey
thatll thatd itll itd theyll theyd youd youll`,
);

/** Words of grammar: they begin a question, join, or stand for whoever asks and whatever is asked for. */
const GRAMMAR = wordSet(
  `who whom what which where when how why whether is are was were am be been do does did has have had will could can
should might may must there here any everyone persons others other it them this these those that some a an the i we you he
she they me us my our your id tell show list give see if not and or so just still out
hello hi thanks to for in on of at with about onto into`,
);

/** Words of grammar and those that only ask: a clause of nothing else says nothing. */
export const EMPTY_WORDS: ReadonlySet<string> = new Set([...GRAMMAR, ...ASKING]);

/** Words before a noun that say no more than that it is one. */
export const ARTICLES = wordSet("a an the");

/** Words of a question before its subject, as queries are compared, and "to" of one without a subject: "how to fix". */
export const AUXILIARIES = wordSet(
  "is are was were do does did has have had can could should would will might must isnt arent wont doesnt dont cant to",
);

/** Words after which "not" says how the product should not be: "boots that are not leather". */
export const BEING = wordSet("is are be being");

/** Words for those who ask or do something: "which kettle do you use". */
export const PRONOUNS = wordSet(
  "i we you he she they one someone somebody anyone anybody everyone everybody people",
);

/** Words that begin what a thing is for or has, or a clause that says more of it. */
export const OPENING = wordSet(
  "for with without that thats which who whos whose when where while because",
);

/** The word behind which stands what the one before it is for: "powerful enough for games". */
export const ENOUGH = "enough";

/** Words that begin where, when or to what something is. */
export const PREPOSITIONS = wordSet("in on at under over from by to into");

/** Whether a word begins what something is for, with or of, or where it is: "for the face". */
export const beginsPhrase = (word: string): boolean => PREPOSITIONS.has(word) || OPENING.has(word);

/** Words for half of all people, which narrow a want unless the product is for that half anyway. */
const GENDERED = wordSet("women woman womens womans men man mens mans guys girls ladies");

/** Words that hold for nearly every product of a kind, so that they hardly narrow it: "adults", but not "kids". */
const ANYBODY = new Set([
  ...GENDERED,
  ...wordSet("people person adult adults home house makeup cosmetic"),
]);

/** Whether a word says that a product is made for women, or for men. */
export const isGendered = (word: string): boolean => GENDERED.has(word);

/** Whether a word says of whom or what nearly everything of a kind is. */
export const isAnybody = (word: string): boolean => ANYBODY.has(word);

/** Endings of words for those who do something: "campers", "musicians". */
const DOERS = "ers|ors|ists|ians";
const PEOPLE = new RegExp(
  `^\\S*(?:${DOERS}|people|men|women|students|parents|fans|couples|households|families)$`,
  "i",
);
const DOER = new RegExp(`^(.{3,})(?:${DOERS})$`);

/** Whether a word names people by what they do or are: "musicians". */
export const isPeople = (word: string): boolean => PEOPLE.test(word);

/** What those do whom a word names, as a stem: "camp" of "campers"; null for other words. */
export const doneBy = (word: string): string | null => DOER.exec(word)?.[1] ?? null;

const PRAISING = wordSet(
  "good better best great decent excellent nice perfect reliable amazing awesome quality",
);

/** Whether a word says of a part that it should be a good one: "good keyboard" of a laptop. */
export const praises = (word: string): boolean => PRAISING.has(word);

/** A number, with its unit or without. "ps4" and "4k" are names. */
const AMOUNT =
  /^\d+(?:\.\d+)?(?:gb|tb|mb|mm|cm|in|inch|ft|kg|g|lb|lbs|oz|l|ml|w|v|hz|mph|usd|year|years)?$/;

/** Whether a word is a number with its unit, or without. */
export const isAmount = (word: string): boolean => AMOUNT.test(word);

/** Numbers with a letter that measures nothing where they are left as words: a "34g" bra, a "4g" phone. */
const LETTERED = /^\d+[gm]$/;

/** Whether a word asks, praises, counts or tells a price, and says nothing of the product. */
export function onlyAsks(word: string): boolean {
  return ASKING.has(word) || word.length === 1 || (AMOUNT.test(word) && !LETTERED.test(word));
}

/** Whether a word only asks, or is a form of one that does, which the index has no other stem for: "look" of "looking". */
export function onlyAsksAs(word: string): boolean {
  const base = singular(word).replace(/ing$/, "");
  return [word, base, `${base}ing`].some((form) => EMPTY_WORDS.has(form) || onlyAsks(form));
}

/** Words that only ask which say how a product is: who reads "expensive" as asking wants no cheap one. */
const SAYING_SO = wordSet("expensive");

/** Whether a word says something by itself, be it that it mostly asks: "expensive", the "m" of "model m". */
export const isContentWord = (word: string): boolean =>
  SAYING_SO.has(word) || !(EMPTY_WORDS.has(word) || OPENING.has(word) || numbersName(word));

/** Whether a phrase that ends in this word names a service or something else that is not a physical product. */
export function namesService(word: string): boolean {
  return SERVICES.has(word);
}

/** Services for which no product is made, whatever noun stands behind: an "insurance policy" is none. */
const NO_GOODS = wordSet("insurance insurances mortgage mortgages loan loans");

/** Whether a word names a service for which no product is made. */
export const isNoGood = (word: string): boolean => NO_GOODS.has(word);

const MODEL = /^([a-z]{1,8})(\d{2,5})$/;

/** The letters and the number of a model's name, which people also write apart: "hd598"; null for other words. */
export function modelParts(word: string): readonly [letters: string, number: string] | null {
  const [, letters, number] = MODEL.exec(word) ?? [];
  return letters === undefined || number === undefined ? null : [letters, number];
}

/** Whether a word is a number that belongs to the name before it: "Nexus 7", "Windows 8.1". */
export const numbersName = (word: string | undefined): boolean =>
  /^\d{1,4}(?:\.\d+)?$/.test(word ?? "");

/** Numbers that hardly stand for anything else ("5.1", "18650"), but no years. */
const TELLING_NUMBER = /^(?!(?:19|20)\d\d$)(?:\d{3,}|\d+\.\d+)$/;

/** Whether a number without a unit says something by itself. */
export const tellsByItself = (word: string): boolean => TELLING_NUMBER.test(word);

/** Whether a number counts what follows it: "4 bay". */
export const countsNext = (word: string): boolean => /^\d{1,2}$/.test(word);

const ORDINALS = wordSet("first second third next last");

/** Whether a word says which of a buyer's own the product is: "the first one" may be any. */
export const countsOnes = (word = "", next = ""): boolean =>
  ORDINALS.has(word) && /^ones?$/.test(next);

/** Beginnings of compounds that hyphens part: "multi day", "self cleaning". */
const COMBINING = wordSet("anti auto bi multi self semi tri ultra");

/** Whether a word says nothing without the one behind it. */
export const beginsCompound = (word: string): boolean => COMBINING.has(word);

/** Ends of compounds that say for what or against what a product is fit, whatever stands before; and "safe" behind these. */
const FIT = wordSet("proof resistant friendly");
const SAFE_IN = wordSet(
  "dishwasher microwave oven freezer food child kid kids toddler baby pet dog cat skin bike",
);

/** Whether a word says how a product is only together with the one before it: "dishwasher safe", which names no safe. */
export const endsCompound = (before: string | undefined, word: string | undefined): boolean =>
  FIT.has(word ?? "") || (word === "safe" && SAFE_IN.has(before ?? ""));

/** Whether a word is the name of a maker or a model by the word lists. */
export const isBrand = (word: string): boolean => lexicon().terms.get([word])?.type === "brand";

/** Whether a word stands for itself alone, as brands, models and numbers do. */
export const isProper = (word: string): boolean => /\d/.test(word) || isBrand(word);

/** Words of sentences, which titles and lists of words lack. */
const SAYING = wordSet(
  "i im we you they it is are was be do does did would should could can will who what which that because my our their need want",
);
export const ofSentences = (word: string): boolean => SAYING.has(word);

/** Denials as they are compared, without their apostrophe; "$1n't" puts it back. */
export const CONTRACTED = /^(are|ca|do|does|is|wo|would)nt$/;

/** Words after which a name says what the product should not be. */
export const NEGATING = wordSet("not isnt arent non without no");

const OF_PRODUCTS = wordSet("that which it");

/** Whether a word stands for a product before what it does: "a knife that never needs sharpening". */
export const standsForProduct = (word: string | undefined): boolean => OF_PRODUCTS.has(word ?? "");
