import { BatonError, STREAM_MODES, type StreamMode } from '@baton/protocol';
import { endsRun } from './event-text.ts';

type StreamView =
  | { readonly kind: 'values' }
  | {
      readonly kind: 'events';
      /** No filter means every event. */
      readonly shows?: (type: string) => boolean;
      /** Parts of texts are sent too, as they arrive. */
      readonly live: boolean;
    };

const EVERYTHING: StreamView = { kind: 'events', live: false };

export function streamView(requested: string | undefined): StreamView {
  if (requested === undefined || requested === 'updates') return EVERYTHING;
  const modes = requested.split(',').map((mode) => mode.trim());
  for (const mode of modes) {
    if (!isStreamMode(mode)) throw unsupported(`"${mode}" is not a stream mode.`);
  }
  if (modes.includes('values')) {
    if (modes.length > 1) throw unsupported('"values" cannot be combined with other stream modes.');
    return { kind: 'values' };
  }
  if (!modes.includes('messages')) return EVERYTHING;
  const isOnly = modes.every((mode) => mode === 'messages');
  return { kind: 'events', live: true, ...(isOnly && { shows: isMessage }) };
}

/** The event that ends the run is always shown, so that a reader of messages knows that no more will come. */
function isMessage(type: string): boolean {
  return type.startsWith('agent.') || type.startsWith('ai.') || endsRun(type);
}

function isStreamMode(mode: string): mode is StreamMode {
  return (STREAM_MODES as readonly string[]).includes(mode);
}

function unsupported(message: string): BatonError {
  return new BatonError('unsupported_stream_mode', message, { supported: STREAM_MODES });
}
