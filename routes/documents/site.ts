/** GET /robots.txt and /favicon.ico. */
import { z } from "zod";
import { DOCUMENT_ROUTES } from "../pipeline/route_table.ts";
import { documentRoute, TEXT_TYPE, textForm } from "./document.ts";

export const robots = documentRoute(
  DOCUMENT_ROUTES.robots,
  {
    summary: "Read the rules for crawlers",
    description: "Everything but the operator's page may be crawled.",
    media: [TEXT_TYPE],
    answer: z.string(),
    example: () => undefined,
  },
  textForm(({ settings: { baseUrl } }) =>
    `User-agent: *\nDisallow: /admin\nAllow: /\n\n# For language models: ${baseUrl}/llms.txt\n`
  ),
);

const SIZE = 16;
const PIXELS_AT = 62;

/** Three bars that rise, on a transparent ground: a 16 by 16 icon of 32-bit pixels. */
function icon(): Uint8Array<ArrayBuffer> {
  const mask = SIZE * 4;
  const bytes = new Uint8Array(PIXELS_AT + SIZE * SIZE * 4 + mask);
  const view = new DataView(bytes.buffer);
  view.setUint16(2, 1, true);
  view.setUint16(4, 1, true);
  bytes.set([SIZE, SIZE], 6);
  view.setUint16(10, 1, true);
  view.setUint16(12, 32, true);
  view.setUint32(14, bytes.length - 22, true);
  view.setUint32(18, 22, true);
  view.setUint32(22, 40, true);
  view.setUint32(26, SIZE, true);
  view.setUint32(30, SIZE * 2, true);
  view.setUint16(34, 1, true);
  view.setUint16(36, 32, true);
  for (const [left, height] of [[1, 6], [6, 10], [11, 15]] as const) {
    for (let y = 0; y < height; y++) {
      for (let x = left; x < left + 4; x++) {
        view.setUint32(PIXELS_AT + (y * SIZE + x) * 4, 0xff0b6e4f, true);
      }
    }
  }
  return bytes;
}

export const favicon = documentRoute(DOCUMENT_ROUTES.favicon, {
  summary: "Get the icon",
  description: "A small icon for browsers.",
  media: ["image/x-icon"],
  answer: z.string().meta({ contentEncoding: "binary" }),
  example: () => undefined,
}, { type: "image/x-icon", make: icon });
