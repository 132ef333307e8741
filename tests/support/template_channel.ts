/** A template as the channel lists it. */
export type ListedTemplate = Record<string, unknown>;

/**
 * A channel for one test that lists templates, accepts every phone number id, serves samples and
 * accepts media uploads.
 */
export function templateChannel(
  { templates = [], businessAccounts = ["42"], displayPhone, pageSize = 100, answer = () => null }:
    {
      templates?: ListedTemplate[];
      /** The business accounts for a token, as the channel lists them. */
      businessAccounts?: string[];
      /**
       * The phone number that the channel returns for every phone number id. By default, the
       * channel returns no phone number.
       */
      displayPhone?: string;
      pageSize?: number;
      /** Returns a response instead of this channel, or null to let the channel respond. */
      answer?(request: Request): Response | null | Promise<Response | null>;
    } = {},
) {
  const calls: string[] = [];
  const numbers = new Set<string>();
  const uploads: { phoneNumberId: string; form: FormData }[] = [];
  const channel = {
    /** All calls so far, such as `GET /samples/offer.png` or `POST /1/media`. */
    calls,
    uploads,
    templates,
    url: "",
    /** The URL of a sample file, signed as the channel signs it. */
    sample: (file: string, signature = "good") => `${origin}/samples/${file}?sig=${signature}`,
    [Symbol.asyncDispose]: async () => await server.shutdown(),
    /** Allows the process to end while the channel still listens. */
    unref: () => server.unref(),
  };

  const listed = (url: URL) => {
    const name = url.searchParams.get("name");
    const found = channel.templates.filter((template) => name === null || template.name === name);
    const from = Number(url.searchParams.get("after") ?? 0);
    const to = from + pageSize;
    return Response.json({
      data: found.slice(from, to),
      paging: to < found.length ? { cursors: { after: String(to) }, next: "https://next" } : {},
    });
  };

  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const url = new URL(request.url);
      const path = url.pathname.replace("/v26.0", "");
      calls.push(`${request.method} ${path}`);
      const other = await answer(request);
      if (other) return other;
      const [, first, second] = path.split("/");
      if (first === "samples") return sampleOf(second, url.searchParams.get("sig"));
      if (first === "debug_token") {
        const scope = "whatsapp_business_management";
        return Response.json({
          data: { granular_scopes: [{ scope, target_ids: businessAccounts }] },
        });
      }
      if (second === "message_templates") return listed(url);
      if (second === "phone_numbers") {
        return Response.json({ data: Array.from(numbers, (id) => ({ id })) });
      }
      if (second === "media") {
        uploads.push({ phoneNumberId: first, form: await request.formData() });
        return Response.json({ id: `media${uploads.length}` });
      }
      numbers.add(first);
      return Response.json({
        id: first,
        display_phone_number: displayPhone,
        verified_name: "Test",
      });
    },
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  channel.url = `${origin}/v26.0`;
  return channel;
}

export type TemplateChannel = ReturnType<typeof templateChannel>;

function sampleOf(file: string, signature: string | null): Response {
  if (signature !== "good") return new Response("URL signature expired", { status: 403 });
  const types: Record<string, string> = { png: "image/png", pdf: "application/pdf" };
  const type = types[file.split(".")[1]] ?? "text/html";
  return new Response(`the bytes of ${file}`, { headers: { "Content-Type": type } });
}

/** A listed template with one variable in the body. */
export function listedTemplate(name: string, changes: ListedTemplate = {}): ListedTemplate {
  return {
    id: `id-${name}`,
    name,
    language: "pt_BR",
    status: "APPROVED",
    category: "UTILITY",
    components: [{ type: "BODY", text: "Olá, {{1}}", example: { body_text: [["Ada"]] } }],
    ...changes,
  };
}

/** A listed template with an image in the header. */
export function imageTemplate(name: string, sample: string): ListedTemplate {
  return listedTemplate(name, {
    components: [
      { type: "HEADER", format: "IMAGE", example: { header_handle: [sample] } },
      { type: "BODY", text: "Olá" },
    ],
  });
}
