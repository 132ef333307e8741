import { createHash } from "node:crypto";

/** The largest medium, in bytes: the channel accepts no larger document. */
export const MAX_BYTES = 100 * 2 ** 20;

/** The error about bytes that do not have the length or the digest of the medium. */
export class NotWhole extends Error {
  override name = "NotWhole";
}

/** What is known about the bytes before they arrive; null for a fact that is not known. */
export interface Expected {
  length: number | null;
  /** In hexadecimal digits. */
  sha256: string | null;
}

/**
 * Counts and hashes the bytes of a medium while they pass, and never collects them. A digest of a
 * stream needs `node:crypto`, because WebCrypto needs all bytes at once.
 */
export class WholeBytes {
  #count = 0;
  readonly #hash = createHash("sha256");

  constructor(readonly expected: Expected) {}

  get count() {
    return this.#count;
  }

  /** @throws NotWhole when there are more bytes than the medium has. */
  take(piece: Uint8Array) {
    this.#count += piece.length;
    const { length } = this.expected;
    if (this.#count > (length ?? MAX_BYTES)) {
      throw new NotWhole(`The medium has more than ${length ?? MAX_BYTES} bytes`);
    }
    this.#hash.update(piece);
  }

  /** Checks the medium after its last piece. @throws NotWhole */
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
