/** The project of the mock API, and the access token that this API accepts. */
export const PROJECT = "abcdefghijklmnopqrst";
export const TOKEN = `sbp_${"0123456789".repeat(4)}`;

interface Recorded {
  method: string;
  /** The part of the path after the project. */
  path: string;
  /** The body, if it is JSON. */
  json?: unknown;
}

/** The CLI's upload of one function. */
export interface Upload {
  metadata: { verify_jwt: boolean; entrypoint_path: string; import_map_path: string };
  /** The text of each file, by path. */
  files: Map<string, string>;
}

/**
 * A local mock of the Supabase Management API for one project. The mock accepts and records
 * functions and secrets. Supabase's API: https://api.supabase.com/api/v1
 */
export function startManagementApi() {
  const requests: Recorded[] = [];
  const uploads = new Map<string, Upload>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (request.headers.get("Authorization") !== `Bearer ${TOKEN}`) return refuse(401);
    const [, path] = new RegExp(`^/v1/projects/${PROJECT}(.*)$`).exec(pathname) ?? [];
    if (path === undefined) return refuse(404);

    const isJson = request.headers.get("Content-Type")?.startsWith("application/json");
    const json = isJson ? await request.json() : undefined;
    requests.push({ method: request.method, path, json });
    switch (`${request.method} ${path}`) {
      case "GET ":
        return Response.json(project);
      case "GET /functions":
        return Response.json([]);
      case "POST /functions/deploy": {
        const slug = searchParams.get("slug")!;
        const upload = await read(await request.formData());
        uploads.set(slug, upload);
        return Response.json(deployed(slug, upload), { status: 201 });
      }
      case "PUT /functions":
        return Response.json({ functions: json });
      case "POST /secrets":
        return Response.json({}, { status: 201 });
      case "DELETE /secrets":
        return Response.json({});
      default:
        return refuse(404);
    }
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    uploads,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const CREATED = "2026-01-01T00:00:00Z";

const project = {
  id: PROJECT,
  ref: PROJECT,
  organization_id: "organization",
  organization_slug: "organization",
  name: "Stand-in",
  region: "us-east-1",
  created_at: CREATED,
  status: "ACTIVE_HEALTHY",
  database: { host: "127.0.0.1", version: "17.6", postgres_engine: "17", release_channel: "ga" },
};

async function read(form: FormData): Promise<Upload> {
  const files = new Map<string, string>();
  for (const file of form.getAll("file") as File[]) files.set(file.name, await file.text());
  return { metadata: JSON.parse(form.get("metadata") as string), files };
}

function deployed(slug: string, { metadata }: Upload) {
  return {
    ...metadata,
    id: crypto.randomUUID(),
    slug,
    name: slug,
    status: "ACTIVE",
    version: 1,
    created_at: Date.parse(CREATED),
    updated_at: Date.parse(CREATED),
    entrypoint_path: `file:///${metadata.entrypoint_path}`,
    import_map: true,
    ezbr_sha256: "0".repeat(64),
  };
}

function refuse(status: number): Response {
  return Response.json({ message: `The mock API returns ${status}.` }, { status });
}
