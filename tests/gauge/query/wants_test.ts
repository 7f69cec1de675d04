/** What a query asks of a product, read with the real lexicon. */
import { assert, assertEquals } from "@std/assert";
import type { Sql } from "../../../db/sql.ts";
import { askedBits } from "../../../gauge/match/funnel.ts";
import { testOnce } from "../../support/database.ts";
import { readOn, wantsOn } from "../support/corpus.ts";

/** What is counted of what a query asks. */
const countedOn = async (sql: Sql, query: string): Promise<string[]> =>
  (await readOn(sql, query)).plan.wants.filter(({ counted }) => counted === "always").map((
    { name },
  ) => name);

testOnce(
  "what either will do of, and a noun of anything, restricts nothing",
  async ({ database }) => {
    const read = async (query: string) => {
      const { product, plan } = await readOn(database.sql, query);
      return [product, ...plan.wants.map(({ name }) => name)];
    };
    assertEquals(await read("sofa or zogbed"), ["sofa"]);
    assertEquals(await read("sofa or zogbed pillow"), ["pillow", "sofa or zogbed"]);
    assertEquals(await read("mincer unit"), ["mincer"]);
    // A set is nothing by itself.
    assertEquals(await read("fondue set"), ["fondue set"]);
    // Of examples any will do.
    const examples = ["footwear", "sandals or boots or sneakers"];
    assertEquals(await read("footwear: sandals, boots, sneakers"), examples);
    assertEquals(await read("footwear such as sandals, boots and sneakers"), examples);
    // A kit has all of it, and a verb gives no examples.
    const kit = await read("camera kit: tripod, lens, bag");
    assert(!kit.some((name) => name.includes(" or ")), kit.join());
    // Names of one kind differ in what either will do of, and share what is asked.
    assertEquals(await read("couch or sectional"), ["couch"]);
    assertEquals(await read("gaming laptop or gaming notebook"), ["laptop or notebook", "gaming"]);
    assertEquals((await read("wired mouse or wireless mouse")).length, 3);
    assertEquals(await read("laptop vs tablet"), ["laptop or tablet"]);
    assertEquals(await read("open-back headphones"), ["headphones", "open back"]);
    assertEquals(await read("tent pls, not a hammock"), ["tent"]);
    assertEquals(await read("epilator 1 pc"), ["epilator"]);
  },
);

testOnce(
  "a product that the one asked for is set against is not asked for",
  async ({ database }) => {
    const asked = async (query: string) => (await readOn(database.sql, query)).product;
    assertEquals(await asked("not a laptop but a tablet"), "tablet");
    assertEquals(await asked("no tent, a tarp for two"), "tarp");
    assertEquals(await asked("not a tent, just a hammock"), "hammock");
    // What only says how the product is denies no product.
    assertEquals(await asked("no subscription camera, with a long cable"), "camera");
  },
);

testOnce("what would be paid is asked where it stands before the product", async ({ database }) => {
  const wants = await wantsOn(database.sql, "Would people pay $80 for a kettle that is quiet?");
  assertEquals(wants, ["quiet", "$80"]);
});

testOnce("who does what the product is for says nothing of it", async ({ database: { sql } }) => {
  assertEquals(await wantsOn(sql, "sleeping bag for cold sleepers"), ["cold"]);
});

testOnce(
  "what a product is compared with is asked of it, and not asked for",
  async ({ database }) => {
    const { product } = await readOn(database.sql, "dutch oven cheaper than Le Creuset");
    assertEquals(product, "dutch oven");
  },
);

testOnce("how much is enough is said by what it is for", async ({ database: { sql } }) => {
  const query = "laptop powerful enough for video editing";
  assertEquals(await countedOn(sql, query), ["video editing"]);
  assertEquals(await countedOn(sql, "laptop that is light enough"), ["light enough"]);
  const { product } = await readOn(sql, "laptop light enough to carry");
  assertEquals(product, "laptop");
});

testOnce(
  "what something is rather than another thing ends there",
  async ({ database: { sql } }) => {
    const query = "hardware synthesizer rather than software";
    assertEquals(await wantsOn(sql, query), ["hardware", "not software"]);
  },
);

testOnce("what people have beside is not asked of the product", async ({ database: { sql } }) => {
  const asked = (query: string) => wantsOn(sql, query);
  assertEquals(
    await asked("cooks with a toaster who gave up on plastic lids are looking for a kettle"),
    [],
  );
  assertEquals(
    await asked("people with a couch and a toaster would pay for a vacuum cleaner that is quiet"),
    ["quiet"],
  );
  assertEquals(await asked("women with big hands who are looking for gloves"), ["big hands"]);
});

testOnce("what goes on from what goes without saying is asked", async ({ database: { sql } }) => {
  const query = "camcorder that records directly on vhs tape";
  const { plan } = await readOn(sql, query);
  const [tape] = plan.wants;
  assertEquals([tape?.name, tape?.counted], ["directly on vhs tape", "always"]);
});

testOnce("words beside what is asked weigh no more the more there are", async ({ database }) => {
  const query = "I am helping a client decide whether to sell kettles";
  const asides = (await readOn(database.sql, query)).plan.wants.filter(({ counted }) =>
    counted !== "always"
  );
  assert(asides.length > 2);
  assert(asides.reduce((sum, { power }) => sum + power, 0) <= 0.15 + 1e-5);
});

testOnce(
  "a denial names all of what it denies, and weighs it in full",
  async ({ database: { sql } }) => {
    const wants = async (query: string) =>
      (await readOn(sql, query)).plan.wants
        .filter(({ counted }) => counted === "always");
    const [cast] = await wants("sunscreen that doesn't leave a white cast");
    assertEquals(cast?.name, "doesn't leave a white cast");
    const [denied, said] = [
      ...await wants("hammock that doesn't stretch"),
      ...await wants("stretch hammock"),
    ];
    assert((denied?.power ?? 0) > 2 * (said?.power ?? 1), String(denied?.power));
  },
);

testOnce("words that belong together are one want, and one name", async ({ database: { sql } }) => {
  const read = async (query: string) => {
    const { plan, product } = await readOn(sql, query);
    return [product, ...plan.wants.map(({ name }) => name)];
  };
  assertEquals(await read("noise cancelling headphones"), ["headphones", "noise canceling"]);
  assertEquals(await read("in ear monitors for drummers"), ["in ear monitors", "drummers"]);
  assertEquals(await read("bike for commuting in the rain"), ["bike", "commuting", "rain"]);
  assertEquals(await read("monitor 120hz"), ["monitor", "120hz"]);
  // What is refused is no product that is asked for, and what says how one is names no other.
  assertEquals(await read("bed frame no box spring"), ["bed frame", "no box spring"]);
  assertEquals(await read("speakers not bookshelf"), ["speakers"]);
  assertEquals(await read("washing machine quiet"), ["washing machine", "quiet"]);
});

testOnce("a number stays with the name that it belongs to", async ({ database: { sql } }) => {
  assertEquals(await wantsOn(sql, "steering wheel for xbox 360"), ["xbox 360"]);
  assertEquals(await wantsOn(sql, "case for an iphone 5 with a strap"), ["iphone 5", "strap"]);
});

testOnce(
  "what bounds a measure or a denial is none of what is asked",
  async ({ database: { sql } }) => {
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ["laptop with 20 hours of battery life at least", ["20 hours", "battery life"]],
      ["sleeping bag rated to 0 degrees", ["rated to 0 degrees"]],
      ["kitchen scale 0.1g", ["0.1g"]],
      ["tent that weighs less than 3 lbs", ["less than 3 lbs"]],
      ["4g phone", ["4g"]],
      ["monitor for photo editing, 27 inch", ["27 inch", "photo editing"]],
      ["sunscreen that doesn't leave a white cast", ["doesn't leave a white cast"]],
      ["earbuds that don't fall out", ["don't fall out"]],
      ["laptop, budget 800", ["800"]],
      ["headphones that cost more than $300", ["more than $300"]],
    ];
    for (const [query, wants] of cases) {
      assertEquals([...await wantsOn(sql, query)].sort(), wants, query);
    }
  },
);

testOnce("where a product is made is asked as a whole", async ({ database: { sql } }) => {
  assertEquals(await wantsOn(sql, "boots made in usa"), ["made in usa"]);
  assertEquals(await wantsOn(sql, "american made boots"), ["american made"]);
});

testOnce(
  "for women or for men is asked, where the product is not for them anyway",
  async ({ database: { sql } }) => {
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ["durable women's boots", ["durable", "womens"]],
      ["do women want an electric shaver", ["women"]],
      ["electric shaver for men", []],
      ["bra for full-busted women", ["full busted"]],
    ];
    for (const [query, wants] of cases) assertEquals(await countedOn(sql, query), wants, query);
  },
);

testOnce(
  "nobody wants what is broken, nor one of two of which either will do",
  async ({ database: { sql } }) => {
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ["my electric shaver finally died, what's a decent replacement?", []],
      ["a fountain pen, first one or an upgrade", []],
      ["headphones that never stop working", ["never stop working"]],
      // The noun of what goes without saying says no more, and nor does how many a product is.
      ["projectors for movie nights", []],
      ["sleeping bag for camping and hiking trips", ["camping and hiking"]],
      ["wireless headphones, would anybody be after a pair?", ["wireless"]],
    ];
    for (const [query, wants] of cases) assertEquals(await countedOn(sql, query), wants, query);
  },
);

testOnce("what hardly anybody says who wants it bounds no count", async ({ database: { sql } }) => {
  const bits = async (query: string) => askedBits((await readOn(sql, query)).plan);
  assertEquals(await bits("hardware synthesizer"), 0);
  assertEquals(await bits("beamer that throws video on a wall"), 0);
  assertEquals(await bits("analog synthesizer"), 1);
});

testOnce("a list joins what is of one sort", async ({ database: { sql } }) => {
  const read = async (query: string) => {
    const { plan, product } = await readOn(sql, query);
    return [product, ...plan.wants.map(({ name }) => name)];
  };
  assertEquals(await read("sunscreen for the face, for spotty or greasy skin"), [
    "sunscreen",
    "spotty or greasy skin",
    "face",
  ]);
  assertEquals(await read("backpack for school or travel, quiet"), [
    "backpack",
    "school or travel",
    "quiet",
  ]);
  assertEquals((await read("face sunscreen or a moisturizer with spf"))[0], "sunscreen or spf");
  // What stands on both sides of a comma is no need together: "full size", "the men must".
  assertEquals(await read("bathing suits by cup size, full bust"), [
    "bathing suits",
    "full bust",
    "cup size",
  ]);
  assertEquals(await wantsOn(sql, "body trimmer for men, must be usable in the shower"), [
    "usable in the shower",
    "men",
  ]);
});

testOnce("a choice that is set apart hardly asks anything", async ({ database: { sql } }) => {
  const asides = async (query: string) => {
    const { plan, product } = await readOn(sql, query);
    return [
      product,
      ...plan.wants.map(({ name, counted }) => `${name}${counted === "always" ? "" : " beside"}`),
    ];
  };
  assertEquals(await asides("a keyboard (black, powder or mineral)"), [
    "keyboard",
    "black or powder or mineral beside",
  ]);
  assertEquals(await asides("a quiet keyboard, black or silver"), [
    "keyboard",
    "quiet",
    "black or silver beside",
  ]);
  assertEquals(await asides("knife for camping, survival or bushcraft"), [
    "knife",
    "camping or survival or bushcraft",
  ]);
});

testOnce("what a product won't do is not its name", async ({ database: { sql } }) => {
  const { product, plan } = await readOn(sql, "Which zogliner won't run or zog?");
  assertEquals([product, ...plan.wants.map(({ name }) => name)], [
    "zogliner",
    "won't run or zog",
  ]);
});
