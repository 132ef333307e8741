// Tests which file name the recipient sees for a document.

import assert from "node:assert/strict";
import * as fc from "fast-check";
import { fileName, givenFileName } from "../../supabase/functions/_shared/templates/file_name.ts";
import { nastyText } from "../support/nasty_text.ts";

const PDF = "application/pdf";

function nameOf(path: string, disposition: string | null = null, templateName = "invoice") {
  const url = new URL(path, "https://scontent.whatsapp.net");
  return fileName({ format: "DOCUMENT", type: PDF, disposition, url, templateName });
}

Deno.test("a document's file name comes from the `Content-Disposition` header, otherwise from the URL, and otherwise from the template's name", () => {
  const named: [path: string, disposition: string | null, name: string][] = [
    ["/a/1.pdf", 'attachment; filename="Terms.pdf"', "Terms.pdf"],
    ["/a/1.pdf", "attachment; filename=Terms.pdf", "Terms.pdf"],
    [
      "/a/1.pdf",
      `attachment; filename="x.pdf"; filename*=UTF-8''Pre%C3%A7os%202026.pdf`,
      "Preços 2026.pdf",
    ],
    ["/a/1.pdf", 'attachment; filename="a\\"b.pdf"', "ab.pdf"],
    ["/a/1.pdf", 'attachment; filename="../../etc/passwd"', "passwd.pdf"],
    ["/a/1.pdf", 'attachment; filename="C:\\\\x\\\\y.PDF"', "y.PDF"],
    ["/a/1.pdf", "attachment", "1.pdf"],
    ["/a/1.pdf", 'attachment; filename=""', "1.pdf"],
    ["/a/Pre%C3%A7os.pdf?oh=1", null, "Preços.pdf"],
    ["/a/%2e%2e%2fx.pdf", null, "x.pdf"],
    ["/a/%zz.pdf", null, "%zz.pdf"],
    ["/v/t61.29466-34/12345_n", null, "invoice.pdf"],
    ["/a/photo.jpg", null, "invoice.pdf"],
    ["/", null, "invoice.pdf"],
  ];
  for (const [path, disposition, name] of named) assert.equal(nameOf(path, disposition), name);
});

Deno.test("a long file name is cut to 240 characters and keeps its extension", () => {
  const name = nameOf("/x", `attachment; filename="${"🚚".repeat(300)}.pdf"`);
  assert.equal(name, `${"🚚".repeat(235)}.pdf`);
  assert.equal(nameOf("/x", null, "t".repeat(512)), `${"t".repeat(235)}.pdf`);
});

Deno.test("a file name of at most 240 characters with its extension is not shortened", () => {
  for (const length of [235, 236, 240]) {
    const name = `${"é".repeat(length - 4)}.pdf`;
    assert.equal(givenFileName("DOCUMENT", PDF, name), name);
  }
  const withExtension = `${"a".repeat(236)}.pdf`;
  assert.equal(givenFileName("DOCUMENT", PDF, "a".repeat(236)), withExtension);
  const shortened = `${"a".repeat(235)}.pdf`;
  assert.equal(givenFileName("DOCUMENT", PDF, "a".repeat(237)), shortened);
  assert.equal(givenFileName("DOCUMENT", PDF, `${"a".repeat(237)}.pdf`), shortened);
});

Deno.test("no file name can break the form encoding of the upload", () => {
  const property = fc.property(nastyText, nastyText, nastyText, (path, header, template) => {
    const name = nameOf(
      `/${encodeURIComponent(path.toWellFormed())}.pdf`,
      `attachment; filename="${header}"`,
      template,
    );
    assert.doesNotMatch(name, /[\p{Cc}"\\/]/u);
    assert.ok(name.isWellFormed() && [...name].length <= 240 && /.\.pdf$/i.test(name), name);
  });
  fc.assert(property);
});
