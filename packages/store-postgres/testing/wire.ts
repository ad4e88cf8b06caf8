/** Messages of the protocol of Postgres: a type, the length, and the rest. */

interface WireMessage {
  readonly type: string;
  readonly body: Buffer;
  /** With its type and its length. */
  readonly whole: Buffer;
}

export function wireMessage(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Cuts what arrives into messages. The first message of a client has no type, which is then empty. */
export function messageReader(beginsWithoutType: boolean): (data: Buffer) => readonly WireMessage[] {
  let rest: Buffer = Buffer.alloc(0);
  let isFirst = beginsWithoutType;
  return (data) => {
    rest = Buffer.concat([rest, data]);
    const messages: WireMessage[] = [];
    for (;;) {
      const head = isFirst ? 0 : 1;
      if (rest.length < head + 4) return messages;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return messages;
      const whole = rest.subarray(0, end);
      messages.push({ type: whole.toString('latin1', 0, head), body: whole.subarray(head + 4), whole });
      rest = rest.subarray(end);
      isFirst = false;
    }
  };
}

export const AUTHENTICATED = wireMessage('R', Buffer.alloc(4));
export const READY = wireMessage('Z', Buffer.from('I'));
