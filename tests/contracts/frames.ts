import { createParser } from 'eventsource-parser';

interface Frame {
  readonly name: string;
  readonly data: unknown;
}

/**
 * The whole frames in the text of a stream; one that was cut off is left out. So is one without data, which only tells
 * the id to go on from: streams of MCP begin with such a frame.
 */
export function framesOf(text: string): readonly Frame[] {
  const frames: Frame[] = [];
  const parser = createParser({
    onEvent: ({ event = 'message', data }) => {
      if (data !== '') frames.push({ name: event, data: JSON.parse(data) });
    },
  });
  parser.feed(text);
  return frames;
}
