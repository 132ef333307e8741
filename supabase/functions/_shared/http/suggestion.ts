/** A longer word cannot be a misspelled name. */
const MAX_LENGTH = 64;

/**
 * The part of an error message that lists the known words: "one of name, email; did you mean
 * email?"
 */
export function notOneOf(given: string, names: string[]): string {
  const nearest = nearestOf(given, names);
  return `one of ${names.join(", ")}${nearest === null ? "" : `; did you mean ${nearest}?`}`;
}

/** The name that the caller probably meant, or null when no name is similar. */
export function nearestOf(given: string, names: string[]): string | null {
  if (given === "" || given.length > MAX_LENGTH) return null;
  const most = Math.min(Math.ceil(given.length / 3), given.length - 1);
  const distances = names.map((name) =>
    // Words of very different lengths are not compared letter by letter.
    Math.abs(given.length - name.length) > most
      ? Infinity
      : editDistance(given.toLowerCase(), name.toLowerCase())
  );
  const least = Math.min(...distances);
  return least <= most ? names[distances.indexOf(least)] : null;
}

/**
 * How many parts must be inserted, removed or replaced to turn one list into the other
 * (Levenshtein). The parts are the letters of a word, or the parts of a path. deno-std has this
 * function for strings, but the version of Deno in hosted functions does not find its types.
 *
 * @param cost the cost of replacing a part of `one` with a part of `other`, from 0 to 1.
 */
export function editDistance(
  one: string | string[],
  other: string | string[],
  cost = (part: string, by: string): number => part === by ? 0 : 1,
): number {
  // The distance of each prefix of `other` from a prefix of `one`. In each iteration, the prefix of
  // `one` grows by one part.
  let distances = Array.from({ length: other.length + 1 }, (_, length) => length);
  for (const [at, part] of [...one].entries()) {
    const next = [at + 1];
    for (let to = 1; to <= other.length; to++) {
      const replaced = distances[to - 1] + cost(part, other[to - 1]);
      next.push(Math.min(replaced, distances[to] + 1, next[to - 1] + 1));
    }
    distances = next;
  }
  return distances[other.length];
}

// For each name of this API, the names that other APIs use for the same thing. The other names are
// in lowercase, without underscores, and separated by spaces.

const PARAMETERS = {
  q: "query search term",
  sort: "order orderby sortby",
  limit: "pagesize perpage size",
  cursor: "after offset page skip start",
  fields: "properties select",
  include: "embed expand with",
  include_total: "count total",
};
const OPERATORS = {
  "": "any eq in is",
  ne: "neq nin not notin",
  gt: "after",
  gte: "ge from min since",
  lt: "before",
  lte: "le max to until",
  contains: "ilike like match search",
  empty: "exists isnull null",
};
const FIELDS = {
  // of a contact
  phone: "cell cellphone celular mobile mobilenumber mobilephone msisdn number phonenumber " +
    "recipient telefone telephone to waid whatsapp",
  name: "displayname firstname fullname lastname nome",
  email: "emailaddress mail",
  empresa: "account business company companyname employer organisation organization",
  job_title: "cargo jobposition occupation position role title",
  tags: "categories groups labels lists segments tag",
  custom_fields: "attributes custom customattributes extra fields metadata properties",
  temperature: "leadstatus rating",
  source: "channel leadsource origem origin utmsource",
  do_not_contact: "blocked dnc donotcall optedout optout unsubscribed",
  is_active: "active enabled",
  confirm: "confirmation contactid id",
  from: "contactid duplicateid fromid otherid sourceid",
  // of a deal, a pipeline, a stage and a conversation
  title: "dealname name subject",
  value: "amount dealvalue price revenue total",
  contact_id: "contact customer customerid lead leadid person personid",
  stage_id: "column dealstage pipelinestage stage",
  status: "state",
  pipeline_id: "pipeline",
  position: "index order rank sort",
  is_default: "default",
  assigned_to: "agent agentid assignee assigneeid member owner ownerid userid",
  team_id: "department group team",
  // of a send and of a batch
  template_name: "name template",
  language_code: "lang language locale",
  display_text: "body content message text",
  body_variables: "bodyparameters components parameters params variables",
  header_variables: "header headerparameters",
  button_variables: "buttonparameters buttons",
  template_header_type: "headertype mediatype",
  phone_number_id: "from sender senderid",
  contact_name: "name recipientname",
  idempotency_key: "clientreference externalid key",
  text: "body content displaytext message",
  conversation_id: "chatid conversation threadid",
  items: "contacts data deals inputs records rows",
};
const PATHS = {
  contacts: "clients customers leads people persons",
  deals: "opportunities",
  conversations: "chats threads tickets",
  members: "agents users",
};

/** Whether a caller who wrote this part of a path probably meant this name. */
export function isMeantPart(part: string, name: string): boolean {
  return placeOfMeant(part, [name], PATHS) === 0;
}

/**
 * The index of the name that the caller probably meant; -1 if no name is similar. A name that
 * another API uses for the same thing has priority over the most similar name.
 */
function placeOfMeant(given: string, names: string[], others: Record<string, string>): number {
  const plain = given.slice(0, MAX_LENGTH).toLowerCase().replace(/[-_ ]/g, "");
  const known = names.findIndex((name) =>
    name === given || others[name]?.split(" ").includes(plain)
  );
  return known >= 0 ? known : names.indexOf(nearestOf(given, names) ?? given);
}

/**
 * The error about a field that a body does not accept. It names the field that the caller probably
 * meant. If no field is similar, it names `custom_fields` or all accepted fields.
 * @param known the names of all fields.
 */
export function unknownField(name: string, known: string[]): string {
  const wrong = "is not a field that is accepted here";
  if (known.length === 0) return wrong;
  const meant = placeOfMeant(name, known, FIELDS);
  if (meant >= 0) return `${wrong}; did you mean ${known[meant]}?`;
  if (known.includes("custom_fields")) {
    return `${wrong}; a field of your own belongs in custom_fields`;
  }
  return `${wrong}; the accepted fields are ${known.join(", ")}`;
}

/**
 * The error about a parameter that a path does not accept. If a name is similar, the error first
 * asks whether the caller meant this name. Then it lists the accepted names.
 * @param known the names of all parameters, including the part after a field: `name[contains]`,
 *   `custom_fields.<key>`.
 */
export function unknownParameter(name: string, known: string[]): string {
  const field = fieldOf(name);
  const forms = known.filter((each) => fieldOf(each) === field);
  if (forms.length === 0) {
    // The list contains each field once, even if the field has several operators.
    const names = [...new Set(known.map((each) => each.split("[", 1)[0]))];
    const meant = placeOfMeant(field, names.map(fieldOf), PARAMETERS);
    return `is not a parameter that is accepted here; ${suggestion(meant, names)}`;
  }
  if (name === field) return `takes no value without an operator; ${suggestion(-1, forms)}`;
  const meant = placeOfMeant(operatorOf(name), forms.map(operatorOf), OPERATORS);
  return `is not accepted here; ${suggestion(meant, forms)}`;
}

/** The field of a parameter: the part before an operator or a key. */
function fieldOf(parameter: string): string {
  return parameter.replace(/[[.].*$/s, "");
}

/** The operator of a parameter; an empty string when the parameter has no operator. */
function operatorOf(parameter: string): string {
  return parameter.slice(fieldOf(parameter).length).replace(/^\[|\]$/g, "");
}

/**
 * @param meant the index of the name that the caller probably meant; -1 when no name is similar.
 */
function suggestion(meant: number, names: string[]): string {
  if (names.length === 0) return "no parameter is accepted";
  const all = names.length === 1
    ? `only accepted name is ${names[0]}`
    : `accepted names are ${names.join(", ")}`;
  return meant < 0 ? `the ${all}` : `did you mean ${names[meant]}? The ${all}`;
}
