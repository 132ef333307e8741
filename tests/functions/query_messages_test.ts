// Tests the errors for invalid list parameters. An error message states the required value, the
// accepted names and what the caller probably meant.
import assert from "node:assert/strict";
import { FUNCTIONS } from "../../generate/openapi/functions.ts";
import { ApiError } from "../../supabase/functions/_shared/errors.ts";
import { readQuery } from "../../supabase/functions/_shared/http/validate.ts";

const operations = FUNCTIONS.flatMap((api) => api.operations);

/** The error that an operation returns for a query, or null if it accepts the query. */
function refusal(id: string, query: string): string | null {
  try {
    readQuery(`http://x/?${query}`, operations.find((each) => each.id === id)!.query);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.message.replace(/^Invalid request: /, "");
    throw error;
  }
}

/**
 * The expected error messages by operation and query. A text that begins with … is only the end of
 * the message.
 */
const CASES: Record<string, Record<string, string>> = {
  listContacts: {
    // A name that does not exist
    "nam=x":
      "nam is not a parameter that is accepted here; did you mean name? The accepted names are limit, cursor, " +
      "fields, include, sort, include_total, archived, q, id, external_id, name, email, phone, temperature, tags, " +
      "source, job_title, empresa, do_not_contact, marketing_opt_out_at, is_active, created_at, updated_at, " +
      "custom_fields.<key>",
    "colour=x": "colour is not a parameter that is accepted here; the accepted names are limit…",
    "x=1": "x is not a parameter that is accepted here; the accepted names are limit…",
    "custom_field.plan=x": "custom_field.plan is not a … did you mean custom_fields.<key>?…",
    // A name that other APIs use
    "page=2": "page is not … did you mean cursor? The accepted names are…",
    "Search=ana": "Search is not … did you mean q? The accepted names are…",
    "per_page=10": "per_page is not … did you mean limit? The accepted names are…",
    "order_by=name": "order_by is not … did you mean sort? The accepted names are…",
    // An operator that the field does not accept
    "name[like]=x": "name[like] is not accepted here; did you mean name[contains]? " +
      "The accepted names are name, name[ne], name[empty], name[contains]",
    "name[contain]=x": "… did you mean name[contains]? The accepted names are…",
    "name[eq]=x": "… did you mean name? The accepted names are…",
    "tags[]=x":
      "… did you mean tags? The accepted names are tags, tags[all], tags[ne], tags[empty]",
    "temperature[gt]=x":
      "temperature[gt] is not accepted here; the accepted names are temperature, temperature[ne]",
    "created_at=2026-01-01":
      "created_at takes no value without an operator; the accepted names are created_at[gt], created_at[gte], " +
      "created_at[lt], created_at[lte]",
    "custom_fields[plan]=x":
      "custom_fields[plan] is not accepted here; the only accepted name is custom_fields.<key>",
    "custom_fields=x": "custom_fields is used with a key, as in custom_fields.<key>=<value>",
    "custom_fields.=x": "custom_fields. names no key; write custom_fields.<key>=<value>",
    "custom_fields.seats[gte]=5":
      "custom_fields.seats[gte] takes no [gte], because custom fields have no types yet; a custom field takes only custom_fields.<key>=",
    "custom_fields.a.b.c.d.e=x": "custom_fields.a.b.c.d.e has more than 3 dots in its key",
    // A value that is not valid
    "id=x": "id must be a UUID",
    "temperature=boiling": "temperature must be one of cold, warm, hot",
    "temperature=hot,boiling": "temperature must be one of cold, warm, hot; value 2 is wrong",
    "is_active=yes": "is_active must be true or false",
    "name[empty]=yes": "name[empty] must be true or false",
    "phone=011987654321": "phone must be a phone with its country code, such as +5511987654321",
    "created_at[gte]=yesterday":
      "created_at[gte] must be a time such as 2026-01-31T09:30:00Z, with at most six decimals, or a day " +
      "such as 2026-01-31",
    "created_at[gte]=": "created_at[gte] is empty; it must be a time such as…",
    "q=!!!": "q must have 1 to 10 words of letters or digits, and at most 255 characters",
    "q=": "q is empty; it must have 1 to 10 words…",
    "name[contains]=%25":
      "name[contains] must have at least one letter or digit, and at most 255 characters",
    "name=": "name has an empty value; [empty]=true after the name finds records without a value",
    "tags=vip,": "tags has an empty value; [empty]=true after…",
    "id=": "id has an empty value; a value must be a UUID",
    "name=a%00": "name must not contain the null character or half a surrogate pair",
    "name=a\\b":
      "name has a backslash that escapes nothing; write \\\\ for a backslash and \\, for a comma",
    [`name=${"a,".repeat(100)}a`]: "name must have at most 100 values",
    "limit=0": "limit must be a whole number from 1 to 200",
    "include_total=1": "include_total must be true or false",
    // A parameter that is given twice
    "tags=a&tags=b": "tags is given more than once; write several values as tags=a,b",
    "limit=1&limit=2": "limit is given more than once",
    // The parameters sort and fields
    "sort=nam":
      "sort must be one of created_at, -created_at, updated_at, -updated_at, name, -name; did you mean name?",
    "sort=name,-created_at": "sort takes only one field, which is one of created_at, -created_at…",
    "fields=nme": "fields names nme, which is not one of id, company_id,… did you mean name?",
    "fields=name,": "fields has an empty name; each must be one of id…",
  },
  listDeals: {
    "value=1,x":
      "value must be a number such as 1200 or 99.90, with at most 15 digits before the point " +
      "and 6 after it; value 2 is wrong",
    "value[ge]=1": "… did you mean value[gte]?…",
    "include=contacts":
      "include names contacts, which is not one of contact, stage; did you mean contact?",
  },
  listStages: {
    // This list is ordered by `pipeline_id` by default, and `sort` does not accept that field.
    "sort=pipeline_id": "sort must be one of position, -position…",
    "position=1.5": "position must be a whole number from -2147483648 to 2147483647",
  },
  listTemplates: {
    "status=":
      "status has an empty value; a value must be a word that the channel uses, such as APPROVED or UTILITY",
    "language=PT-br": "language must be a template language code such as pt_BR or en",
    "phone_number_id=1,":
      "phone_number_id has an empty value; a value must be an id from the channel, which has only digits",
    "phone_number_id=x": "phone_number_id must be an id from the channel, which has only digits",
  },
  getContact: {
    "limit=1":
      "limit is not a parameter that is accepted here; the accepted names are fields, include, archived",
  },
};

for (const [id, messages] of Object.entries(CASES)) {
  for (const [query, message] of Object.entries(messages)) {
    Deno.test(`the error of ${id} for ${query.slice(0, 60)} says what is wrong`, () => {
      const parts = message.split(/ ?… ?/).map((part) =>
        part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
      );
      assert.match(refusal(id, query) ?? "", new RegExp(`^${parts.join(".*")}$`));
    });
  }
}

Deno.test("filters on nested custom fields are refused if the total length of their values is too large", () => {
  const values = (count: number) =>
    Array.from({ length: count }, (_, at) => `value ${at}`).join(",");
  const tooLong = /^All filters together are too long/;
  assert.match(refusal("listContacts", `custom_fields.a.b.c.d=${values(100)}`)!, tooLong);
  const two = ["a", "b"].map((name) => `custom_fields.${name}.b.c.d=${values(50)}`);
  assert.equal(refusal("listContacts", two[0]), null);
  assert.match(refusal("listContacts", two.join("&"))!, tooLong);
});
