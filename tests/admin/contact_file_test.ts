// Tests the reader of contact files: what it returns, and which errors it reports.
import assert from "node:assert/strict";
import { openContactFile } from "../../admin/contact_file.ts";
import { recordsOf } from "../../admin/csv_file.ts";
import { OperatorError } from "../../admin/operator_error.ts";
import { withFolder } from "../support/started.ts";

type Row = { line: number } & ({ item: unknown } | { reason: string });

/**
 * Reads a file with this content. Returns each row's line number with the row's item or, if the row
 * is rejected, the reason.
 */
async function read(content: string | Uint8Array<ArrayBuffer>) {
  return await withFolder(async (folder) => {
    const path = `${folder}/contacts.csv`;
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await Deno.writeFile(path, bytes);
    const file = await openContactFile(path);
    const shown = (row: Row) => [row.line, "item" in row ? row.item : row.reason];
    const rows = await Array.fromAsync(file.rows(), shown);
    assert.equal(file.count, rows.length);
    return rows;
  });
}

async function refuses(content: string | Uint8Array<ArrayBuffer>, sentence: RegExp) {
  await assert.rejects(read(content), (error) => {
    assert.ok(error instanceof OperatorError);
    assert.match(error.message, sentence);
    return true;
  });
}

Deno.test("each column of a file is a contact field, and an empty cell leaves the field unchanged", async () => {
  const header =
    "phone,name,tags,do_not_contact,is_active,custom_fields.plan,custom_fields.address.city,custom_fields.__proto__";
  const text =
    `${header}\n+5511987654321, Ada ,vip; lead;;vip,TRUE,false,1.50,São Paulo,x\n+5511987654322,,, ,,,,\n`;
  const ada = { phone: "+5511987654321", name: "Ada", tags: ["vip", "lead"] };
  const custom_fields = { plan: "1.50", "address.city": "São Paulo", ["__proto__"]: "x" };
  assert.deepEqual(await read(text), [
    [2, { ...ada, do_not_contact: true, is_active: false, custom_fields }],
    [3, { phone: "+5511987654322" }],
  ]);
});

Deno.test("the reader handles quotes, line breaks inside quotes, all line endings, empty rows and byte order marks", async () => {
  const rows = [
    [2, { phone: "+5511987654321", name: 'Ada "A, B"\nLovelace' }],
    [5, { phone: "+5511987654322", name: "Grace" }],
    [7, { phone: "+5511987654323", name: "Last; one" }],
  ];
  const text = '\ufeffphone,name\n+5511987654321,"Ada ""A, B""\nLovelace"\n\n' +
    '"+5511987654322",Grace\n,\n+5511987654323,Last; one';
  assert.deepEqual(await read(text), rows);
  assert.deepEqual(await read(text.replaceAll("\n", "\r\n") + "\r\n"), rows);
});

Deno.test("the most frequent separator in the header (comma, semicolon or tab) separates the cells", async () => {
  const rows = [[2, { phone: "+5511987654321", name: "Ada, B.", tags: ["a", "b"] }]];
  assert.deepEqual(await read('phone;name;"tags"\n+5511987654321;Ada, B.;"a;b"\n'), rows);
  assert.deepEqual(await read("phone\tname\ttags\n+5511987654321\tAda, B.\ta;b\n"), rows);
  assert.deepEqual(await read("phone\n+5511987654321"), [[2, { phone: "+5511987654321" }]]);
});

Deno.test("an invalid row is rejected with its line number and all reasons, and the other rows are still read", async () => {
  const rows = await read(
    "phone,name,email,temperature,is_active\n" +
      "+5511987654321,Ada,ada@,lukewarm,maybe\n" +
      ",Nobody,,,\n" +
      "+5511987654322,Short\n" +
      '+5511987654322,"Long\nname",,,,\n' +
      '+5511987654322,Grace "G",,,\n' +
      '+5511987654322,"Grace"G,,,\n' +
      "5511987654321,,,,\n" +
      '"5,51199E+12",,,,\n' +
      "011 98765-4321,,,,\n" +
      `+5511987654322,${"x".repeat(256)},,,\n` +
      "+5511987654322,a\0b,,,\n" +
      "+5511987654323,Good,,,\n",
  );
  assert.deepEqual(rows.slice(0, -1).map(([line]) => line), [2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13]);
  const reasons = [
    /^email must be an email address; temperature must be one of cold, warm, hot; is_active must be true or false$/,
    ...[/^phone is required$/, /^The row has 2 cells, but the header has 5$/],
    ...[/^The row has 6 cells, but the header has 5$/, /^A quote is inside a cell: /],
    ...[/^A quote is inside a cell: /, /^phone has no plus sign and country code, /],
    ...[/^phone was turned into a number by a spreadsheet, /, /^phone must be in E\.164 format/],
    ...[/^name must have at most 255 characters$/, /^name must not contain the null character/],
  ];
  reasons.forEach((reason, at) => assert.match(String(rows[at][1]), reason));
  assert.deepEqual(rows.at(-1), [14, { phone: "+5511987654323", name: "Good" }]);
});

Deno.test("a header is refused if one of its columns is not a contact field", async () => {
  await refuses("", / is empty: its first line must name the fields of a contact\.$/);
  await refuses("phone,name\n\n,\n", / has a header but no rows\.$/);
  const meant =
    /^The first line .*: "Phone" \(did you mean phone\?\), "e-mail" \(did you mean email\?\)\. The fields are phone, /;
  await refuses("Phone,name,e-mail\n", meant);
  const none = /These columns are not fields of a contact: "\+5511987654321", "Ada"\. /;
  await refuses("+5511987654321,Ada\n", none);
  const withKey = /: "custom_fields"\. The fields .*, custom_fields\.<key>\.$/;
  await refuses("phone,custom_fields\n", withKey);
  await refuses("phone,custom_fields.,\n", /: "custom_fields\." .*""/);
  await refuses("phone,name,name\n", /^The column name occurs twice\.$/);
  await refuses("name\nAda\n", /^The column phone is missing: /);
  await refuses('phone,"na"me\n', /^The header, in line 1: A quote is inside a cell/);
});

Deno.test("if a file is not CSV in UTF-8, the whole file is refused, even if the error is on the last line", async () => {
  const latin = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const rows = "+5511987654321,Ada\n".repeat(9000);
  const late = latin(`phone,name\n${rows}+5511987654322,Jo\xe3o\n`);
  await refuses(late, /not in UTF-8 \(line 9002\): /);
  await refuses(latin("\xff\xfep\0h\0o\0n\0e\0"), /is not in UTF-8 \(line 1\): /);
  await refuses(latin("phone\n+5511987654321\n\xc3"), /is not in UTF-8 \(line 3\): /);
  await refuses('phone,name\n1,2\n3,"4\n5,6\n', /^A quote .* in line 3 is never closed: /);
  const long = "x".repeat(1024 * 1024);
  await refuses(`phone,name\n1,"${long}\n`, /^A quote .* line 2 is never closed: /);
  const missing = /^The row in line 2 has more than 1048576 characters: .*line break is missing/;
  await refuses(`phone,name\n1,${long}\n`, missing);
  await refuses("phone,name\r1,Ada\r", /^The lines of the file end with only a carriage return/);
  await withFolder(async (folder) => {
    await assert.rejects(openContactFile(folder), { message: `${folder} is not a file.` });
    const message = `The file ${folder}/none.csv does not exist.`;
    await assert.rejects(openContactFile(`${folder}/none.csv`), { message });
  });
});

Deno.test("the reader reads rows on demand, so the file size is not limited", async () => {
  async function* endless() {
    for (let n = 0;; n++) yield `${n},"a\n"\n${n}`;
  }
  const lines: number[] = [];
  for await (const { line } of recordsOf(endless(), ",")) {
    if (lines.push(line) === 1000) break;
  }
  assert.deepEqual([lines[0], lines.at(-1)], [1, 1999]);
});
