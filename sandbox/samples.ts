import { decodeBase64 } from "deno-std/encoding/base64.js";
import { createHash } from "node:crypto";
import { http, HttpResponse } from "msw";
import { CUP_JPEG, SQUARE_MP4 } from "./sample_bytes.ts";

/** The approved media of the sandbox's templates, by file name. */
export const SAMPLES: Record<string, { type: string; bytes: () => Uint8Array<ArrayBuffer> }> = {
  "espresso_cup.jpg": { type: "image/jpeg", bytes: () => fromBase64(CUP_JPEG) },
  "machine_tour.mp4": { type: "video/mp4", bytes: () => fromBase64(SQUARE_MP4) },
  "invoice.pdf": { type: "application/pdf", bytes: () => pdf("Ondalva: invoice A-1815, 480.00") },
};

/** Each list of templates contains newly signed URLs, which are valid for this long. */
const VALID_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * The signed URL of a sample.
 * @param base the WhatsApp API's base URL with its version, as in the request for the list of
 *   templates.
 * @param now the current time in milliseconds. The URL is valid for the next seven days.
 */
export function sampleUrl(base: string, file: string, now: number): string {
  const oe = Math.floor((now + VALID_MS) / 1000).toString(16).toUpperCase();
  const query = { _nc_ohc: crypto.randomUUID().slice(0, 8), oh: signature(file, oe), oe };
  return `${base}/samples/${file}?${new URLSearchParams(query)}`;
}

/**
 * This signature keeps nothing secret. It only lets the sandbox refuse a changed or missing query
 * string, as the channel does.
 */
function signature(file: string, oe: string): string {
  return createHash("sha256").update(`${file} ${oe}`).digest("hex").slice(0, 32);
}

/** Serves the samples to anyone with a signed URL that has not expired. No token is needed. */
export function sampleHandler(now: () => number) {
  return http.get("*/v:version/samples/:file", ({ request, params }) => {
    const file = String(params.file);
    const sample = Object.hasOwn(SAMPLES, file) ? SAMPLES[file] : null;
    if (!sample) return new HttpResponse("Not Found", { status: 404 });
    const { searchParams } = new URL(request.url);
    const oe = searchParams.get("oe") ?? "";
    if (searchParams.get("oh") !== signature(file, oe)) {
      return new HttpResponse("Bad URL hash", { status: 403 });
    }
    if (parseInt(oe, 16) * 1000 <= now()) {
      return new HttpResponse("URL signature expired", { status: 403 });
    }
    const bytes = sample.bytes();
    return new HttpResponse(bytes, {
      headers: { "Content-Type": sample.type, "Content-Length": `${bytes.length}` },
    });
  });
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return decodeBase64(text.replace(/\s/g, ""));
}

/** A PDF of one page with one line of ASCII text. */
export function pdf(line: string): Uint8Array<ArrayBuffer> {
  const drawing = `BT /F1 16 Tf 40 140 Td (${line.replace(/[\\()]/g, "\\$&")}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 420 200] /Contents 4 0 R " +
    "/Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}` +
    `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return new TextEncoder().encode(text);
}
