// Runs the programs in docs/client.md unchanged. They must print the lines that the page shows.
import assert from "node:assert/strict";
import { folderWithClient, ran } from "../support/built_client.ts";
import { newCompanyWithTemplate } from "../support/company.ts";
import { stack } from "../support/test_stack.ts";
import { readPage } from "./pages.ts";

/** A line of code that prints something, and the output that the page shows for the line. */
const PRINTS = /console\.log\(.*\); \/\/ (.+)$/gm;

/**
 * Waits until the API returns the changes that the page shows. Transactions of other tests delay
 * these changes.
 */
const IN_STEP = `
for (let isTold = false; !isTold;) {
  for await (const { name } of crm.contacts.changes()) isTold ||= name === "Dora";
}
`;

Deno.test("the programs in docs/client.md print the output that the page shows", async () => {
  const { blocks } = await readPage("docs/client.md");
  const [first, ...others] = blocks.filter(({ language }) => language === "js")
    .map(({ text }) => text);
  assert.ok(others.length >= 8);
  // Each program runs after the first program and finds the records that earlier programs created.
  const imports = others.flatMap((text) => text.match(/^import .*\n/gm) ?? []);
  const bodies = others.map((text) =>
    `{\n${text.includes(".changes(") ? IN_STEP : ""}${text.replaceAll(/^import .*\n/gm, "")}}\n`
  );
  const folder = await folderWithClient();
  const program = `${folder}/page-${crypto.randomUUID()}.mjs`;
  await Deno.writeTextFile(program, [...imports, first, ...bodies].join(""));
  const { keys } = await newCompanyWithTemplate();
  const printed = await ran("node", [program], {
    env: { CRM_API_KEY: keys.all, CRM_API_URL: `${stack.url}/functions/v1` },
  });

  const shown = others.flatMap((text) => Array.from(text.matchAll(PRINTS), ([, line]) => line));
  const wanted = shown.map((line) =>
    line.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", ".+").replaceAll(", then ", "\n")
  );
  assert.match(printed, new RegExp(`^${wanted.join("\n")}\n$`));
});
