import { readdressed } from "../readdressed.ts";
import { refused } from "./refusal.ts";

// A correction of @supabase/lite, like those in corrections.ts. Supabase refuses a request body
// that has a member of a wrong type. lite does not check the types, and returns a 500.

const TEXTS = [
  "email",
  "phone",
  "password",
  "refresh_token",
  "type",
  "token",
  "token_hash",
  "nonce",
]
  .concat(
    "auth_code",
    "code_verifier",
    "code_challenge",
    "code_challenge_method",
    "channel",
    "scope",
    "friendly_name",
    "factor_type",
    "issuer",
    "challenge_id",
    "code",
  );
const TYPES: [names: string[], type: string][] = [
  [TEXTS, "string"],
  [["create_user"], "boolean"],
  [["data"], "object"],
];

/**
 * Checks the types of the members of a request body. A body that is not JSON is passed to lite
 * unchecked.
 * @returns the error response, or the request to pass to lite. Members that are null are removed
 *   from the body, because Supabase treats them as missing.
 */
export async function judgeBody(request: Request): Promise<Response | Request> {
  if (request.url.includes("%00")) {
    return refused(400, "bad_json", "The address has a null character");
  }
  if (request.body === null) return request;
  const text = await request.text();
  const whole = (body: string) => readdressed(request, request.url, streamOf(body));
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return whole(text);
  }
  if (typeof json !== "object" || Array.isArray(json)) return unparsed("it is not an object");
  const members = Object.entries(json ?? {}).filter(([, value]) => value !== null);
  for (const [name, value] of members) {
    const type = TYPES.find(([names]) => names.includes(name))?.[1];
    if (type && (typeof value !== type || Array.isArray(value))) {
      return unparsed(`${name} is not of the type ${type}`);
    }
    if (typeof value === "string" && value.includes("\0")) {
      return unparsed(`${name} has a null character`);
    }
  }
  return whole(JSON.stringify(Object.fromEntries(members)));
}

function streamOf(text: string) {
  return new Blob([text]).stream();
}

function unparsed(what: string): Response {
  return refused(400, "bad_json", `Could not parse request body as JSON: ${what}`);
}
