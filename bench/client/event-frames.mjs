/** Splits a stream of server-sent events into frames, and calls back with the event in each. */
export function eachEvent(onEvent) {
  let rest = '';
  return (bytes) => {
    const frames = (rest + bytes.toString()).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const start = frame.indexOf('data: ');
      if (start !== -1) onEvent(JSON.parse(frame.slice(start + 'data: '.length)));
    }
  };
}
