/**
 * Queries with what a reasonable person who knows the posts expects of the verdict. Written before the
 * rules that they measure; `about` says what the text or the product of true evidence has in it.
 */

/**
 * `wanted`: people ask for it, so warm or hot. `rare`: few do, so cold or warm, with true evidence.
 * `attribute`: a product with an attribute nobody speaks of, `service`: no physical product, `nonsense`:
 * no product at all; all cold.
 */
export type Expectation = "wanted" | "rare" | "attribute" | "service" | "nonsense";

export interface EvalQuery {
  readonly expected: Expectation;
  readonly query: string;
  /** What every post that counts names somewhere; null where nothing should match. */
  readonly about: RegExp | null;
}

const wanted: readonly (readonly [string, RegExp])[] = [
  ["headphones", /headphone|cans|over.?ear|\bears?\b|audio|sennheiser|beats/i],
  ["laptop", /laptop|notebook|macbook|chromebook|netbook|ultrabook|thinkpad/i],
  ["gaming laptop", /gaming|games?\b/i],
  ["mechanical keyboard", /keyboard|switch|mech|board|cherry|key/i],
  ["wireless earbuds", /wireless|bluetooth/i],
  ["running shoes", /shoe|run/i],
  ["backpack for school", /school|college|student|university|class|backpack/i],
  ["moisturizer for dry skin", /dry|moistur/i],
  ["road bike", /road/i],
  ["bike lock", /lock/i],
  ["waterproof hiking boots", /waterproof|hik/i],
  ["noise cancelling headphones", /noise|cancel|isolat|anc/i],
  ["raspberry pi", /\bpi\b|raspberry/i],
  ["hiking backpack", /pack|bag|hik/i],
  ["sofa", /sofa|couch|sectional/i],
  ["television", /\btvs?\b|television|plasma|screen/i],
  ["flashlight that lasts", /light|torch|last|durab/i],
  ["durable waterproof backpack for college students who bike", /backpack|bag|pack/i],
  ["laptop under 500 dollars", /laptop|notebook|chromebook|netbook/i],
  ["quiet keyboard for the office", /quiet|silent|loud|noise|office|work/i],
  ["ereader", /e.?reader|kindle|kobo|nook|e.?ink|ebook|paperwhite/i],
  ["best budget headphones", /headphone|cans|ears?\b/i],
  ["tent for backpacking", /tent|backpack|camp/i],
  ["car stereo", /stereo|head unit|deck|radio/i],
];

const rare: readonly (readonly [string, RegExp])[] = [
  ["ukulele", /ukulele|uke\b/i],
  ["banjo", /banjo/i],
  ["macbook", /macbook/i],
  ["iphone", /iphone/i],
  ["ipad case", /ipad/i],
  ["ipad stand", /ipad/i],
  ["samsung phone", /samsung|galaxy/i],
  ["playstation controller", /playstation|ps[345]|dualshock/i],
  ["left handed mouse", /left|lefty/i],
  ["mug", /mug/i],
  ["kids bike helmet", /helmet/i],
  ["standing desk", /stand/i],
  ["dog bed", /dog|bed/i],
  ["toaster that lasts 20 years", /toaster/i],
  ["toaster", /toaster/i],
  ["bike", /\b(bi|cy)c?(ke|cle)s?\b|biking|fixie|roadie|hybrid|mtb/i],
  ["car", /\bcars?\b|suv|truck|vehicle|sedan|hatch|convertible|drive/i],
  ["left handed can opener", /opener/i],
  ["heated bird bath", /bird/i],
  ["garlic press", /garlic/i],
  ["umbrella that does not break", /umbrella/i],
  ["weighted blanket", /weighted|heavy/i],
  ["chess set", /chess/i],
];

const attribute: readonly string[] = [
  "edible laptop",
  "underwater laptop",
  "laptop with a wooden case",
  "edible gaming laptop",
  "inflatable headphones",
  "chocolate keyboard",
  "flashlight for cooking soup",
  "holographic bra",
  "steam powered tablet",
  "tent made of concrete",
  "jeans that glow in the dark",
  "3d printer for cats",
];

const service: readonly string[] = [
  "pc game recommendations",
  "phone plan",
  "bike rental",
  "laptop repair service",
  "best car insurance",
  "car rental",
  "guitar lessons",
  "headphone rental",
  "insurance for my camera",
  "vpn subscription",
  "keyboard software",
  "tablet app for drawing",
  "running course",
  "plumber near me",
  "dog walking service near me",
  "tax preparation software",
  "personal trainer online",
  "web hosting",
  "laptop warranty",
  "tent rental for weddings",
];

const nonsense: readonly string[] = [
  "xqzzt vlorp",
  "quantum flux headphones inducer",
  "purple monkey dishwasher tax",
  "the best thing ever",
  "colorless green ideas sleep furiously",
];

const listed = (expected: Expectation, queries: readonly string[]): EvalQuery[] =>
  queries.map((query) => ({ expected, query, about: null }));

export const QUERIES: readonly EvalQuery[] = [
  ...wanted.map(([query, about]): EvalQuery => ({ expected: "wanted", query, about })),
  ...rare.map(([query, about]): EvalQuery => ({ expected: "rare", query, about })),
  ...listed("attribute", attribute),
  ...listed("service", service),
  ...listed("nonsense", nonsense),
];
