// `npm run release:record`: stores the interface of this release, so that later releases can be
// compared with it.
import { root } from "../../local/checkout.ts";
import { recordedRelease } from "./recorded_release.ts";
import openApi from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { formatted } from "../formatted.ts";

const { version } = JSON.parse(await Deno.readTextFile(`${root}package.json`));
const path = "generate/released/openapi.json";
const text = await formatted("json", JSON.stringify(recordedRelease(openApi, version)));
await Deno.writeTextFile(root + path, text);
console.log(`Wrote ${path}, the interface of ${version}`);
