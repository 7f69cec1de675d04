/** A guess at a product that the word lists do not know. */
import { cueEnd, FUNCTION_WORDS } from "./cues.ts";
import { isPlural, singular } from "./grammar.ts";
import type { Words } from "./tokens.ts";

/** Heads that name no product: people, time, places, talk, services, software, food on a plate. */
const NOT_PRODUCTS = new Set(
  `thing things stuff item items way ways time times year years month months week weeks day days hour hours people person man men woman
women girl girls boy boys friend friends wife husband boyfriend girlfriend mom dad kid kids family place places area city town country
state home house apartment room job jobs work career school college class classes course courses degree exam lot lots bit part
kind type types sort sorts size sizes color colors brand brands model models version versions option options choice choices deal deals
price prices cost money budget dollar dollars amount number numbers reason reasons problem problems issue issues question
questions answer answers idea ideas information info guide guides tips tip tutorial tutorials resource resources site sites website
websites forum forums store stores shop shops online link links video videos picture pictures photo photos pic pics image images
post posts thread comment comments review reviews app apps software program programs game games movie movies show shows music song songs
album book books story recipe recipes meal meals dinner lunch breakfast restaurant food foods diet exercise workout workouts routine
routines program plan plans service services company companies doctor dentist lawyer insurance bank account card credit trip vacation
flight hotel route trail trails park weather season summer winter spring fall look looks style fit quality sound result results
experience experiences opinion opinions thought thoughts feedback suggestion suggestions recommendation recommendations advice
help luck love life world end side top bottom front middle left right point fact case sense use user users need needs want wants
chance change difference start beginning end setup set sets stuff gear equipment product products device devices solution solutions method
methods technique techniques alternative alternatives replacement replacements substitute upgrade upgrades purchase investment everything
weight pounds lbs inches feet miles skin face hair body hands eyes head feet leg legs back neck dog dogs cat cats puppy baby animal
breed name names word words language map list community reader readers beginner beginners noob newbie source sources position
practice training gym club team league event wedding birthday christmas party holiday hobby project projects design
designs pattern patterns drawing art picture code key data file files driver drivers windows linux update firmware os
support customer shipping delivery order return warranty manual instructions parts repair fix mechanic seller vendor vendors dealer
engine system systems mode settings setting level levels range value values max min average term terms condition conditions
middle ground night morning minute minutes second seconds moment while couple few pair piece pieces bunch ton tons hell crap shit fuck
god luck fan fans addict community hand balance feeling feel taste smell view views location locations spot job interview
medication surgery treatment therapy injury pain movement form stretch stretches squat deadlift bench run running cycling hiking camping
cooking baking cleaning painting reading writing learning buying shopping selling owner owners feature features performance enough bang buck bet bits bit budget rest buy market next way anyone clue luck input inputs insight word sense normal pounds comfort durability reliability longevity value cost replacement solution website supplier suppliers manufacturer manufacturers retailer retailers invite invites venue photographer vendor dj cake flowers florist makeup artist hairstylist salon barber gift gifts present presents idea
culture approach checklist stock strategy strategies theory concept concepts philosophy lifestyle attitude behavior habit habits skill skills
path direction directions map maps schedule regimen regime protocol cycle cycles phase progress goal goals plan motivation inspiration
discussion discussions debate topic topics article articles blog blogs subreddit subreddits podcast podcasts channel channels magazine
interface database algorithm file files format formats font fonts theme themes wallpaper wallpapers widget widgets launcher rom roms kernel
plugin plugins extension extensions emulator playlist album artist artists band bands singer lyrics genre genres tracks track
doctor doctors therapist surgeon nurse teacher teachers coach coaches trainer trainers mentor partner roommate roommates landlord tenant
employer employee employees manager boss client clients contractor contractors plumber electrician carpenter lawyer realtor agent
church temple museum beach lake river mountain mountains forest island village street road highway bridge airport station hostel hostels
motel campsite campsites campground campgrounds spot neighborhood district region countries cities state states
breakfast brunch snack snacks dish sauce soup salad sandwich pizza burger cake cookie cookies pie bread cheese meat beef pork chicken fish
egg eggs rice pasta bean beans vegetable vegetables fruit fruits spice spices herb ingredient ingredients flavor cut cuts steak bacon
hairstyle hairstyles haircut haircuts cut shape tattoo tattoos pose poses angle shot shots scene scenes
law laws rule rules permit permits license visa tax taxes loan loans mortgage rent salary income bill bills fee fees
symptom symptoms disease condition infection diagnosis pill pills dose dosage drug drugs medication medications doctor
species plant plants tree trees flower flowers bird birds insect bug bugs horse horses rabbit rabbits chicken chickens bee bees
equation formula formulas calculation measurement measurements ratio percentage percent statistic statistics data
moment situation situations scenario circumstances environment atmosphere mood vibe vibes energy spirit
name nickname username title titles term phrase quote quotes joke jokes meme memes
answer explanation reason logic proof evidence example examples sample samples instance
winner loser enemy hero villain character characters story stories plot ending series season episode episodes
meetup event events concert festival convention tournament race races competition contest challenge
ways workaround workarounds fixes trick tricks hack hacks secret secrets myth myths mistake mistakes
balance combination combo mix mixture variety selection assortment range collection`
    .split(/\s+/),
);

/** Adjectives that say nothing of the kind. */
const EMPTY_ADJECTIVES = new Set(
  `fucking damn stupid bad sturdy good best better great nice decent cheap cheaper cheapest affordable inexpensive expensive quality high low big small large little tiny
new old used perfect ideal right same different similar simple basic solid reliable durable comfortable comfy cool awesome beautiful
cute stylish specific certain particular proper real actual whole entire certain favorite favourite current previous first second
third next last other another custom single double full complete replacement alternative quick easy hard fast slow long short
wide narrow heavy light black white red blue green brown grey gray pink purple silver gold`.split(
    /\s+/,
  ),
);

/** A noun phrase after a cue, as a guess at a product the lexicon does not know. */
export interface Guess {
  readonly start: number;
  readonly end: number;
  /** One or two words, singular unless the noun has none. */
  readonly name: string;
}

/**
 * The first noun phrase right after a "looking for …" cue in the title, or in the first sentences of the
 * body; null where none can be a product. A heuristic without grammar: at most three words, no function
 * words, and a last word that is on no stop list.
 */
export function guessNounPhrase(words: Words): Guess | null {
  const limit = Math.min(words.word.length, words.titleWords + 60);
  for (let i = 0; i < limit; i += 1) {
    const end = cueEnd("wanted", words.word, words.breakAfter, i);
    if (end < 0 || !STRONG.has(words.word.slice(i, end).join(" "))) continue;
    const guess = phraseAt(words, end);
    if (guess !== null) return guess;
  }
  return null;
}

const STRONG = new Set(
  `looking for|in search of|searching for|shopping for|in the market for|recommend|recommend me|recommendation for|recommendations for|
best|decent|need a|need an|need new|need a new|want to buy|replacement for|alternative to|alternatives to|what kind of|what type of|find a|
find an|is there a|pair of|affordable|where to buy|good|suggestions for|advice on`.replaceAll(
    "\n",
    "",
  ).split("|"),
);

function phraseAt(words: Words, from: number): Guess | null {
  let start = from;
  while (ARTICLES.has(words.word[start] ?? "") && words.breakAfter[start] === false) start += 1;
  let end = start;
  while (end < words.word.length && end < start + 5) {
    const word = words.word[end] ?? "";
    if (FUNCTION_WORDS.has(word) && !EMPTY_ADJECTIVES.has(word)) break;
    end += 1;
    if (words.breakAfter[end - 1] === true) break;
  }
  const kept: string[] = [];
  for (let i = start; i < end; i += 1) {
    const word = words.word[i] ?? "";
    if (!EMPTY_ADJECTIVES.has(word) && !/^\d/.test(word)) kept.push(word);
  }
  const head = kept.at(-1);
  if (head === undefined || kept.length > 3 || kept.length !== new Set(kept).size) return null;
  if (head.length < 3 || !/^[a-z]+$/.test(head) || NOT_PRODUCTS.has(head)) return null;
  if (NOT_PRODUCTS.has(singular(head)) || /(?:ing|ly|tion|ness|ism|ed)$/.test(head)) return null;
  const name = kept.slice(-2).join(" ");
  return { start, end, name: isPlural(head) ? singular(name) : name };
}

const ARTICLES = new Set(
  "a an the some any my your our this that new other another good".split(" "),
);
