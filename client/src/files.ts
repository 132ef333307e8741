/** A file from the API. Its bytes are downloaded while you read them. */
export interface File {
  /**
   * The bytes. If the file is not complete, the stream throws an error. Use the file only after its
   * stream has ended without an error.
   */
  stream: ReadableStream<Uint8Array>;
  /** The type of the file, such as `audio/ogg; codecs=opus`. */
  type: string;
  /** The name of the file. */
  filename: string;
  /** The size in bytes; `null` when it is not known. */
  length: number | null;
}

/** The file in an answer. */
export function fileOf(_body: unknown, { headers, body }: Response): File {
  const length = headers.get("Content-Length");
  const [, name = ""] = /filename\*=UTF-8''(\S+)$/.exec(headers.get("Content-Disposition")!) ?? [];
  return {
    stream: body!,
    type: headers.get("Content-Type")!,
    filename: decodeURIComponent(name),
    length: length === null ? null : Number(length),
  };
}
