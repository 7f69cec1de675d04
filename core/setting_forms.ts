/** Forms that settings have: words, numbers, addresses, schedules. A rule never repeats a secret. */
import { z } from "zod";
import { readSchedule } from "./cron.ts";
import { bareHost, isHost } from "./host.ts";

/** Text as it is given. */
export const text = z.string();

/** Text that matches a pattern; `rule` says what it should be. */
export const matching = (pattern: RegExp, rule: string): z.ZodType<string, string> =>
  z.string().regex(pattern, rule);

/**
 * What goes into an HTTP header: another character would be refused at each call, in words that repeat it.
 */
export const token = matching(/^[\x21-\x7e]+$/, "should be one word of printable ASCII characters");

/** A text of at least `least` characters. */
export const longText = (least: number): z.ZodType<string, string> =>
  z.string().min(least, `should have ${least} characters or more`);

function between(
  min: number,
  max: number,
  form: RegExp,
  kind: string,
): z.ZodType<number, string> {
  return z.string().transform((given, context) => {
    const value = form.test(given) ? Number(given) : NaN;
    if (value >= min && value <= max) return value;
    context.addIssue(`should be a ${kind} from ${min} to ${max}, not "${given}"`);
    return z.NEVER;
  });
}

/** A number of decimal digits, from `min` to `max`. */
export const number = (min: number, max: number): z.ZodType<number, string> =>
  between(min, max, /^\d+(\.\d+)?$/, "number");

/** A whole number of decimal digits, from `min` to `max`. */
export const integer = (min: number, max: number): z.ZodType<number, string> =>
  between(min, max, /^\d+$/, "whole number");

/** One of a few words, in this spelling alone. */
export function choice<const Words extends readonly [string, ...string[]]>(
  words: Words,
): z.ZodType<Words[number], string> {
  const error = ({ input }: { readonly input?: unknown }): string =>
    `should be one of ${words.join(", ")}, not "${input}"`;
  return z.string().pipe(z.enum(words, { error }));
}

/** `true` or `false`, and no other word for either. */
export const flag: z.ZodType<boolean, string> = choice(["true", "false"]).transform((word) =>
  word === "true"
);

/** `on` or `off`, as true or false. */
export const onOff: z.ZodType<boolean, string> = choice(["on", "off"]).transform((word) =>
  word === "on"
);

const isOfWeb = (url: string): boolean => /^https?:/i.test(url);

/**
 * An absolute address without a trailing slash; secrets inside it are never repeated. One of the web holds
 * no user and password: it is printed, and no client of ours would send them.
 */
export function address(...protocols: readonly string[]): z.ZodType<string, string> {
  const rule = `should be an absolute address starting with ${protocols.join("// or ")}//`;
  return z.string()
    .refine((given) => URL.canParse(given) && protocols.includes(new URL(given).protocol), {
      error: rule,
      abort: true,
    })
    .refine((given) => {
      const { username, password } = new URL(given);
      return !isOfWeb(given) || (username === "" && password === "");
    }, "should hold no user or password (what stands before the @)")
    .transform((given) => given.replace(/\/+$/, ""));
}

/** An absolute address by http or https. */
export const webAddress = address("http:", "https:");

/** An address of the web to whose end paths are added. */
export const baseAddress = webAddress.refine(
  (given) => !/[?#]/.test(given),
  "should end before parameters (?) and fragment (#): paths are added to it",
);

/** Words apart by spaces or commas. */
export const list: z.ZodType<readonly string[], string> = z.string().transform((given) =>
  given.split(/[\s,]+/).filter(Boolean)
);

/** A host's name or address; an IPv6 address with or without brackets. */
export const host: z.ZodType<string, string> = z.string().transform(bareHost).refine(isHost, {
  error: ({ input }) => `should be an IP address or a host's name, not "${input}"`,
});

/** Five cron fields, in the form that schedules take. */
export const cron: z.ZodType<string, string> = z.string().transform((given, context) => {
  const read = readSchedule(given);
  if (read.schedule !== null) return read.schedule;
  context.addIssue(
    `should be five cron fields such as "*/30 * * * *", not "${given}": ${read.why}`,
  );
  return z.NEVER;
});

/** HOST:PORT, or a PORT of 127.0.0.1. */
export const listenAddress: z.ZodType<{ host: string; port: number }, string> = z.string()
  .transform((given, context) => {
    const match = /^(?:(\[[0-9a-fA-F:]+\]|[^:\s]+):)?(\d{1,5})$/.exec(given);
    const host = bareHost(match?.[1] ?? "127.0.0.1");
    const port = Number(match?.[2]);
    if (isHost(host) && port <= 65_535) return { host, port };
    context.addIssue(`should be HOST:PORT or PORT, not "${given}"`);
    return z.NEVER;
  });

/** Numbers by group, laid over the usual ones; `unit` says of what. */
export function limits<Groups extends Readonly<Record<string, number>>>(
  usual: Groups,
  unit: string,
): z.ZodType<{ readonly [Group in keyof Groups]: number }, string> {
  return z.string().transform((given, context) => {
    const found: Record<string, number> = {};
    for (const item of given.split(",").filter((part) => part.trim())) {
      const [, group = "", digits = ""] = /^\s*([A-Za-z_]+)\s*=\s*(\d{1,7})\s*$/.exec(item) ?? [];
      const rule = Number(digits) === 0
        ? `should be group=number,… (${unit}, 1 or more), not "${item}"`
        : Object.hasOwn(found, group)
        ? `names the group "${group}" twice`
        : Object.hasOwn(usual, group)
        ? null
        : `there is no group "${group}", only ${Object.keys(usual).join(", ")}`;
      if (rule !== null) {
        context.addIssue(rule);
        return z.NEVER;
      }
      found[group] = Number(digits);
    }
    return { ...usual, ...found };
  });
}

/** The fallback text of `limits`. */
export const limitsText = (usual: Readonly<Record<string, number>>): string =>
  Object.entries(usual).map(([group, number]) => `${group}=${number}`).join(",");
