/** Gives a sign of life until it is killed, or says whether the one of its argument is of a dead process. */
import process from "node:process";
import { giveLifeSign, isKnownDead } from "../../core/life_sign.ts";

const [name] = process.argv.slice(2);
if (name === undefined) {
  const sign = await giveLifeSign();
  console.error(`ready ${sign?.name}`);
  setInterval(() => {}, 1_000);
} else console.log(await isKnownDead(name));
