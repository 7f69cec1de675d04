import { assertEquals } from "@std/assert";
import { wantOf } from "./want_support.ts";

const need = (title: string, body = ""): string | null | undefined => wantOf(title, { body })?.need;

Deno.test("drawing and photographs are needs of their own beside video", () => {
  assertEquals(need("Which laptop for SolidWorks and AutoCAD?"), "cad");
  assertEquals(need("A laptop that can run CAD programs?"), "cad");
  assertEquals(need("Which laptop for Photoshop and Lightroom?"), "photo-editing");
  assertEquals(need("Which laptop for video editing in Premiere?"), "video-editing");
  // Canadian dollars.
  assertEquals(need("Which monitor, I can spend 400 CAD?"), null);
});

Deno.test("ordinary words are no needs", () => {
  const none: readonly string[] = [
    "Which bra in a 28 band?",
    "A deodorant, because I sweat",
    "Looking for a secure wallet",
    "Which webcam for home security?",
    "Which speakers have the better drivers?",
    "Which soldering iron for board construction?",
    "Which tent, we are gone for longer than a month?",
    "Hair dryer that my daughter can hold",
    "A sweater with a zip?",
    "Which rack will fit this frame?",
    "Looking for a mattress, ours has stains",
    "Which stove for natural gas?",
    "Which pen, the Metro or another?",
    "Which e-reader, how is yours working out for you?",
    "Which keyboard, is there a fair price?",
    "Which amplifier, is a preamp present in most?",
    "Which laptop, mine has a custom sticker?",
  ];
  for (const title of none) assertEquals(need(title) ?? null, null, title);
});

Deno.test("what says a need in so many words still does", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["Which bra for a small bust?", "small-bust"],
    ["Sweatproof headphones, anyone?", "workout"],
    ["Which headphones for the gym?", "workout"],
    ["A bike lock that thieves cannot defeat, mine was stolen", "stolen"],
    ["Which phone for my grandmother?", "elderly"],
    ["A tent for kids?", "kids"],
    ["A couch for my apartment?", "small-size"],
    ["Work boots for concrete floors", "work"],
    ["A hat for the summer?", "hot-weather"],
    ["Is there a doorbell without a subscription?", "subscription"],
    ["A jacket as a present for her?", "gift"],
  ];
  for (const [title, expected] of cases) assertEquals(need(title), expected, title);
});
