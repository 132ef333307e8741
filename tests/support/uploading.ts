import "./own_functions.ts"; // hides the log lines
import type { Answer } from "./calls.ts";
import {
  readWhatsappConfig,
  type WhatsappConfig,
} from "../../supabase/functions/whatsapp/whatsapp_config.ts";
import { whatsapp } from "../../supabase/functions/whatsapp/app.ts";
import type { Company } from "./company.ts";
import { environment, stack, withDatabase } from "./test_stack.ts";

// Files that a caller uploads, and the channel that receives the files.

const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(
    parts.flatMap((part) =>
      typeof part === "string" ? Array.from(part, (letter) => letter.charCodeAt(0)) : part
    ),
  );

/** The first page of an Ogg file with this codec. */
export const ogg = (codec: string) => bytes("OggS", Array(24).fill(0), codec, [1, 1]);

const OFFICE = "application/vnd.openxmlformats-officedocument";

/** The first bytes of a file of each type that the channel accepts. */
export const BEGINNINGS: Record<string, Uint8Array> = {
  "image/jpeg": bytes([0xff, 0xd8, 0xff, 0xe0]),
  "image/png": bytes([0x89], "PNG\r\n", [0x1a], "\n"),
  "video/mp4": bytes([0, 0, 0, 24], "ftypisom"),
  "video/3gpp": bytes([0, 0, 0, 24], "ftyp3gp4"),
  "audio/aac": bytes([0xff, 0xf1, 0x50, 0x80]),
  "audio/amr": bytes("#!AMR\n"),
  "audio/mpeg": bytes("ID3", [4, 0]),
  "audio/mp4": bytes([0, 0, 0, 24], "ftypM4A "),
  "audio/ogg": ogg("OpusHead"),
  "application/pdf": bytes("%PDF-1.7\n"),
  "text/plain": bytes("Olá\n"),
  "application/msword": bytes([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
  "application/vnd.ms-excel": bytes([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
  "application/vnd.ms-powerpoint": bytes([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
  [`${OFFICE}.wordprocessingml.document`]: bytes("PK", [3, 4]),
  [`${OFFICE}.spreadsheetml.sheet`]: bytes("PK", [3, 4]),
  [`${OFFICE}.presentationml.presentation`]: bytes("PK", [3, 4]),
};

/** A file of this type and this many bytes. */
export function fileOfType(type: string, length: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(length).fill(0x20);
  file.set(BEGINNINGS[type].subarray(0, length));
  return file;
}

/** An upload that the channel has received. */
export interface Uploaded {
  path: string;
  authorization: string | null;
  fields: Record<string, string>;
  type: string;
  filename: string;
  length: number;
  sha256: string;
}

/**
 * A channel that accepts messages and uploads, as Meta does. If `answer` is given, `answer` returns
 * the responses instead.
 */
export function uploadChannel(answer?: (request: Request) => Response | Promise<Response>) {
  const uploads: Uploaded[] = [];
  // deno-lint-ignore no-explicit-any -- tests compare parts of any body
  const messages: any[] = [];
  const server = Deno.serve(
    {
      hostname: "127.0.0.1",
      port: 0,
      onListen: () => {},
      onError: () => new Response(null, { status: 500 }),
    },
    async (request) => {
      if (answer) return await answer(request);
      const path = new URL(request.url).pathname;
      if (!path.endsWith("/media")) {
        messages.push(await request.json());
        return Response.json({ messages: [{ id: `wamid.${crypto.randomUUID()}` }] });
      }
      const { file, ...fields } = Object.fromEntries(await request.formData());
      const { type, name, size } = file as File;
      const digest = await crypto.subtle.digest("SHA-256", await (file as File).arrayBuffer());
      uploads.push({
        path,
        authorization: request.headers.get("Authorization"),
        fields: fields as Record<string, string>,
        type,
        filename: name,
        length: size,
        sha256: new Uint8Array(digest).toHex(),
      });
      return Response.json({ id: `media-${uploads.length}` });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/v26.0`,
    uploads,
    messages,
    [Symbol.asyncDispose]: async () => await server.shutdown(),
  };
}

/** The whatsapp function in this process, for uploads. */
export async function ownUploads(channelUrl: string, changes: Partial<WhatsappConfig> = {}) {
  const config = await readWhatsappConfig(environment({ supabaseUrl: stack.url, channelUrl }));
  const app = whatsapp({ ...config, tellUsageEveryMs: 24 * 60 * 60_000, ...changes });
  return async (
    key: string | null,
    body: BodyInit | null,
    { type, query = "", ...more }: {
      type?: string;
      query?: string;
      headers?: HeadersInit;
      id?: string;
    },
  ): Promise<Answer> => {
    const headers = new Headers(more.headers);
    if (key !== null) headers.set("Authorization", `Bearer ${key}`);
    if (type !== undefined) headers.set("Content-Type", type);
    const id = more.id === undefined ? "" : `/${more.id}`;
    const answer = await app.fetch(
      new Request(`http://functions.example/whatsapp/media${id}${query}`, {
        method: more.id === undefined ? "POST" : "GET",
        headers,
        body,
        ...(body instanceof ReadableStream && { duplex: "half" }),
      } as RequestInit),
    );
    return { status: answer.status, headers: answer.headers, body: await answer.json() } as Answer;
  };
}

/** Adds the row of an upload for the company's phone number, and returns the upload's id. */
export async function addUpload(
  { id, account_id }: Pick<Company, "id" | "account_id">,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const row = {
    ...{ company_id: id, account_id, media_id: "1815", type: "document", bytes: 48_213 },
    ...{ mime_type: "application/pdf", sha256: "5e".repeat(32), filename: "invoice.pdf" },
    ...changes,
  };
  return await withDatabase(async (sql) => {
    const [made] = await sql`insert into media_uploads ${sql(row)} returning id`;
    return made.id;
  });
}
