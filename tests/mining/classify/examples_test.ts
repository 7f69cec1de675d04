import { assert, assertEquals } from "@std/assert";
import { classify } from "../../../mining/classify/mod.ts";
import type { Pattern } from "../../../mining/types.ts";

interface Example {
  readonly pattern: Pattern;
  readonly title: string;
  readonly body: string;
}

const DEMAND: readonly Example[] = [
  {
    pattern: "repeat_failure",
    title: "Third kettle this year and it died again",
    body:
      "Every kettle I buy breaks after a few months. I have gone through three of them already, " +
      "the replacement failed too and I am tired of buying new ones.",
  },
  {
    pattern: "replacement_hunt",
    title: "My old electric shaver finally died, looking for a replacement",
    body: "I had it for nine years and it gave out last week. They discontinued that model. " +
      "What would you get to replace it?",
  },
  {
    pattern: "unmet_need",
    title: "Does a quiet vacuum with a long cord even exist?",
    body: "I can't find any vacuum that is quiet and has a long cord. I have looked everywhere. " +
      "Does anyone make such a thing?",
  },
  {
    pattern: "willingness_to_pay",
    title: "Looking for a really good office chair, price is no object",
    body:
      "I would gladly pay more for a chair that lasts. Money is not an issue, I am willing to spend " +
      "whatever it takes.",
  },
  {
    pattern: "alternative_seeking",
    title: "Kindle vs Kobo",
    body: "I am torn between the Kindle and the Kobo e-reader. Which one is better? " +
      "Or is there a cheaper alternative to the Kindle?",
  },
  {
    pattern: "recommendation_request",
    title: "Looking for a good backpack for school",
    body:
      "Can anyone recommend a backpack that fits a laptop? My budget is around $80. Any suggestions?",
  },
  {
    pattern: "frustration",
    title: "So disappointed with my new headset",
    body:
      "I bought this headset two weeks ago and the build quality is terrible. The plastic is flimsy, " +
      "customer service never answered and they refused a refund. Worst headset I ever had.",
  },
];

const NOISE: readonly { title: string; body: string }[] = [
  {
    title: "Finished my first bookshelf!",
    body: "It took me three weekends. Here is the album, let me know what you think.",
  },
  {
    title: "What is the best way to train my dog to walk?",
    body: "She pulls all the time and will not listen.",
  },
  {
    title: "My squat form check",
    body: "Here is a video of my last set. I am 80 kg. Are my knees fine?",
  },
  {
    title: "How do I install Linux on an old computer?",
    body: "I made a boot stick but the menu does not show up.",
  },
  {
    title: "Our wedding was wonderful",
    body: "Thank you all for the help. The guests danced until the morning.",
  },
  {
    title: "Weekly discussion thread",
    body: "Talk about anything you like. Be kind to each other.",
  },
];

for (const { pattern, title, body } of DEMAND) {
  Deno.test(`a plain case of ${pattern} is a demand post of it`, () => {
    const demand = classify({ title, body, community: "" });
    assert(demand !== null, "no demand seen");
    assert(
      demand.pattern === pattern || demand.also === pattern,
      `seen as ${demand.pattern}, also ${demand.also}`,
    );
    assert(`${title}\n${body}`.includes(demand.quote), "the quote is not verbatim");
    assert(demand.confidence > 0 && demand.confidence <= 1);
  });
}

for (const { title, body } of NOISE) {
  Deno.test(`"${title}" is no demand`, () => {
    assertEquals(classify({ title, body, community: "" }), null);
  });
}

Deno.test("a budget is read as willingness to pay, a bare request as less", () => {
  const priced = classify({
    title: "Best running shoes under $100?",
    body:
      "My budget is $100 at most. Looking for running shoes for flat feet, any recommendations?",
    community: "",
  });
  assertEquals(priced?.wtp, 2);
});

Deno.test("an angry report is more intense than a neutral question", () => {
  const calm = classify({
    title: "Which notebook should I get for school?",
    body: "Any suggestions for a paper notebook?",
    community: "",
  });
  const angry = classify({
    title: "I hate this toaster, it broke again and nearly burned my kitchen",
    body:
      "Third toaster in a year. Absolutely furious. I called support five times, they refuse a refund. " +
      "Worst product I have ever bought, I am sick of replacing it.",
    community: "",
  });
  assert(calm !== null && angry !== null);
  assert(angry.intensity > calm.intensity, `${angry.intensity} against ${calm.intensity}`);
});
