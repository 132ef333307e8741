// Creates a certificate for a host name during a test, so that no file in the repository contains a
// private key.

/** A self-signed certificate and its private key, both as PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** Creates a certificate for a host name. The certificate is valid for one day. */
export async function certificateFor(name: string): Promise<Certificate> {
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const { publicKey, privateKey } = await crypto.subtle.generateKey(curve, true, [
    "sign",
    "verify",
  ]);
  const [spki, pkcs8] = await Promise.all([
    crypto.subtle.exportKey("spki", publicKey),
    crypto.subtle.exportKey("pkcs8", privateKey),
  ]);
  const who = sequence(tagged(0x31, sequence(oid(0x55, 0x04, 0x03), tagged(0x0c, text(name)))));
  const signedBy = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02)); // ECDSA, SHA-256
  const names = sequence(tagged(0x82, text(name)));
  const content = sequence(
    tagged(0xa0, tagged(0x02, [2])), // X.509, version 3
    tagged(0x02, [1, ...crypto.getRandomValues(new Uint8Array(8))]),
    signedBy,
    who,
    sequence(time(-3_600_000), time(24 * 3_600_000)),
    who,
    [...new Uint8Array(spki)],
    tagged(0xa3, sequence(sequence(oid(0x55, 0x1d, 0x11), tagged(0x04, names)))),
  );
  const signature = new Uint8Array(
    await crypto.subtle.sign(
      { name: "ECDSA", hash: "SHA-256" },
      privateKey,
      Uint8Array.from(content),
    ),
  );
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map(positive);
  const whole = sequence(content, signedBy, tagged(0x03, [0, ...sequence(r, s)]));
  return {
    cert: pem("CERTIFICATE", Uint8Array.from(whole)),
    key: pem("PRIVATE KEY", new Uint8Array(pkcs8)),
  };
}

/** The DER encoding of a value: a tag, a length and the bytes. */
function tagged(tag: number, bytes: ArrayLike<number>): number[] {
  const { length } = bytes;
  const long = length < 0x80
    ? [length]
    : length < 0x100
    ? [0x81, length]
    : [0x82, length >> 8, length & 0xff];
  return [tag, ...long, ...Array.from(bytes)];
}

const sequence = (...parts: number[][]) => tagged(0x30, parts.flat());
const oid = (...bytes: number[]) => tagged(0x06, bytes);
const text = (value: string) => new TextEncoder().encode(value);

/** The time this many milliseconds from now, as YYYYMMDDhhmmssZ. */
function time(fromNow: number): number[] {
  const iso = new Date(Date.now() + fromNow).toISOString();
  return tagged(0x18, text(`${iso.replace(/\D/g, "").slice(0, 14)}Z`));
}

/**
 * The DER encoding of a positive integer. Leading zeros are removed, and one zero is added if the
 * number would otherwise be negative.
 */
function positive(bytes: Uint8Array): number[] {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = Array.from(bytes.subarray(first));
  return tagged(0x02, digits[0] >= 0x80 ? [0, ...digits] : digits);
}

function pem(label: string, bytes: Uint8Array): string {
  const lines = btoa(String.fromCharCode(...bytes)).replace(/.{64}/g, "$&\n");
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
