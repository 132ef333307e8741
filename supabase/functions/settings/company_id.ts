import * as z from "zod/mini";
import { Id } from "../_shared/http/fields.ts";

/**
 * A company id in a body, in lower case as the database returns it. Tokens and secrets are sealed
 * for this id, and a company's share is counted by this id, so the id must have one spelling.
 */
export const CompanyId = Id.check(z.toLowerCase());
