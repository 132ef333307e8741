import { violates } from "./company_db.ts";
import { type FieldError, invalidRequest } from "../errors.ts";

/**
 * The rows of a write that names other rows.
 *
 * @param references what to say for each foreign key that the write may break. The same is said of an
 *   id that does not exist and of one that is another company's.
 * @throws ApiError invalid_request on the field whose reference does not hold; else what the write throws.
 */
export async function unlessReferenceBroken<Row>(
  write: PromiseLike<Row>,
  references: Record<string, FieldError>,
): Promise<Row> {
  try {
    return await write;
  } catch (error) {
    const broken = Object.keys(references).find((constraint) => violates(error, constraint));
    throw broken ? invalidRequest([references[broken]]) : error;
  }
}
