interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/**
 * Sends the raw text of a request over TCP, even if the text is not valid HTTP, and reads the whole
 * response.
 * @param head the request line and headers, without the empty line; `Connection: close` is added.
 * @param breaksOff whether the client closes its side after the body, even if Content-Length
 * announces more bytes.
 */
export async function sendRaw(
  url: string,
  head: string[],
  { body = "", breaksOff = false } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const text = [...head, "Connection: close", "", body].join("\r\n");
  await connection.write(new TextEncoder().encode(text));
  if (breaksOff) await connection.closeWrite();
  const answer = await new Response(connection.readable).text();
  const [start, ...rest] = answer.split("\r\n\r\n");
  const [line, ...fields] = start.split("\r\n");
  const headers = new Headers(
    fields.map((field) => field.split(/: ?(.*)/s, 2) as [string, string]),
  );
  return { status: Number(line.split(" ")[1]), headers, text: rest.join("\r\n\r\n") };
}
