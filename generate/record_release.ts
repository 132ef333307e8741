// `npm run release:record`: keeps the interface of this release, with which later ones are compared.
import { root } from "../local/checkout.ts";
import { recordedRelease } from "../reference/recorded_release.ts";
import openApi from "../supabase/functions/gateway/openapi.json" with { type: "json" };
import { formatted } from "./formatted.ts";

const { version } = JSON.parse(await Deno.readTextFile(`${root}package.json`));
const path = "reference/released/openapi.json";
const text = await formatted("json", JSON.stringify(recordedRelease(openApi, version)));
await Deno.writeTextFile(root + path, text);
console.log(`Wrote ${path}, the interface of ${version}`);
