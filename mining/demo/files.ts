/** The files of the demonstration corpus, embedded in the program. */
import type { CategorySlug } from "../categories.ts";
import audio from "./audio.txt" with { type: "text" };
import computers from "./computers.txt" with { type: "text" };
import phonesWearables from "./phones-wearables.txt" with { type: "text" };
import cameras from "./cameras.txt" with { type: "text" };
import gaming from "./gaming.txt" with { type: "text" };
import homeTheater from "./home-theater.txt" with { type: "text" };
import kitchen from "./kitchen.txt" with { type: "text" };
import appliances from "./appliances.txt" with { type: "text" };
import homeFurnishings from "./home-furnishings.txt" with { type: "text" };
import tools from "./tools.txt" with { type: "text" };
import garden from "./garden.txt" with { type: "text" };
import outdoorGear from "./outdoor-gear.txt" with { type: "text" };
import cycling from "./cycling.txt" with { type: "text" };
import fitness from "./fitness.txt" with { type: "text" };
import automotive from "./automotive.txt" with { type: "text" };
import clothing from "./clothing.txt" with { type: "text" };
import footwear from "./footwear.txt" with { type: "text" };
import bags from "./bags.txt" with { type: "text" };
import beauty from "./beauty.txt" with { type: "text" };
import health from "./health.txt" with { type: "text" };
import baby from "./baby.txt" with { type: "text" };
import pets from "./pets.txt" with { type: "text" };
import hobbies from "./hobbies.txt" with { type: "text" };
import office from "./office.txt" with { type: "text" };

/** The text of the demonstration, one file a category, in display order. */
export const DEMO_FILES: Readonly<Record<CategorySlug, string>> = {
  audio,
  computers,
  "phones-wearables": phonesWearables,
  cameras,
  gaming,
  "home-theater": homeTheater,
  kitchen,
  appliances,
  "home-furnishings": homeFurnishings,
  tools,
  garden,
  "outdoor-gear": outdoorGear,
  cycling,
  fitness,
  automotive,
  clothing,
  footwear,
  bags,
  beauty,
  health,
  baby,
  pets,
  hobbies,
  office,
};
