/** A file from the API. Its bytes are downloaded while you read them. */
export interface File {
  /**
   * The bytes. If the download is incomplete, the stream throws a ConnectionError. If no further
   * part arrives within `timeout`, the stream throws a TimeoutError. Use the file only after the
   * stream has ended without an error.
   */
  stream: ReadableStream<Uint8Array>;
  /** The file's content type, such as `audio/ogg; codecs=opus`. */
  type: string;
  /** The file's name. */
  filename: string;
  /** The size in bytes. `null` if the size is unknown. */
  length: number | null;
}

/** Returns the file in a response. */
export function fileOf(stream: ReadableStream<Uint8Array>, { headers }: Response): File {
  const length = headers.get("Content-Length");
  const [, name = ""] = /filename\*=UTF-8''(\S+)$/.exec(headers.get("Content-Disposition")!) ?? [];
  return {
    stream,
    type: headers.get("Content-Type")!,
    filename: decodeURIComponent(name),
    length: length === null ? null : Number(length),
  };
}
