import { createHash } from "node:crypto";

/** The maximum size of a media file, in bytes: the channel accepts no larger document. */
export const MAX_BYTES = 100 * 2 ** 20;

/** The error about bytes that do not match the media file's length or hash. */
export class NotWhole extends Error {
  override name = "NotWhole";
}

/** What is known about the bytes before they arrive. Unknown facts are null. */
export interface Expected {
  length: number | null;
  /** In hexadecimal digits. */
  sha256: string | null;
}

/**
 * Counts and hashes the bytes of a media file as they pass, without collecting them. Hashing a
 * stream needs `node:crypto`, because WebCrypto needs all bytes at once.
 */
export class WholeBytes {
  #count = 0;
  readonly #hash = createHash("sha256");

  constructor(readonly expected: Expected) {}

  get count() {
    return this.#count;
  }

  /** @throws NotWhole when there are more bytes than the media file has. */
  take(piece: Uint8Array) {
    this.#count += piece.length;
    const { length } = this.expected;
    if (this.#count > (length ?? MAX_BYTES)) {
      throw new NotWhole(`The medium has more than ${length ?? MAX_BYTES} bytes`);
    }
    this.#hash.update(piece);
  }

  /**
   * Checks the media file after its last chunk.
   *
   * @throws NotWhole
   */
  end() {
    const { length, sha256 } = this.expected;
    if (this.#count === 0) throw new NotWhole("The medium is empty");
    if (length !== null && this.#count !== length) {
      throw new NotWhole(`The medium has ${this.#count} bytes, but its host announced ${length}`);
    }
    if (sha256 !== null && this.#hash.digest("hex") !== sha256) {
      throw new NotWhole("The SHA-256 of the bytes differs from the SHA-256 of the medium");
    }
  }
}
