import * as z from "zod/mini";
import { ApiError } from "../../../_shared/errors.ts";
import { IdParams } from "../../../_shared/http/fields.ts";
import { operation, replyInPieces } from "../../../_shared/http/operation.ts";
import { survivorOf } from "../../records/merged.ts";
import { readRecords } from "../../records/read_operation.ts";
import type { Resource } from "../../records/resource.ts";
import { ContactExport } from "./export_row.ts";
import { CONTACT } from "./read.ts";

// deno-lint-ignore no-explicit-any -- a resource of rows of any shape
type AnyResource = Resource<any, any>;

/**
 * Exports the data that is stored about a person as one JSON document. The service builds the
 * document while sending it, so only one page is in memory at a time.
 */
export const contactExport = operation({
  id: "exportContact",
  method: "GET",
  path: "/contacts/:id/export",
  scope: "read",
  params: IdParams,
  answers: () => ({ 200: z.object({ data: ContactExport }) }),
  errors: ["not_found"],
}, async ({ caller, params }) => {
  let { id } = params;
  const read = async () => await readRecords(caller, CONTACT as AnyResource, {}, "id", id);
  let [found] = await read();
  if (!found) {
    // If this contact was merged, the export is about the remaining contact.
    id = await survivorOf(caller, CONTACT, id) ?? id;
    if (id !== params.id) [found] = await read();
  }
  if (!found) throw new ApiError("not_found", "Contact not found");
  // This code is loaded only when someone exports a contact.
  const { exportOf } = await import("./exported.ts");
  return replyInPieces(200, exportOf(caller, id, async () => (await read())[0]));
});
