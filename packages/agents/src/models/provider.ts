import type { ModelAnswer } from '@baton/engine/ports';
import { conclude } from './adapter/conclude.ts';
import { listen, nothingHeard } from './adapter/listen.ts';
import { openedModel } from './adapter/opened-models.ts';
import { toCall } from './adapter/to-call.ts';
import { UnsendableMessage } from './adapter/to-prompt.ts';
import { thrownFault } from './adapter/vendor-faults.ts';
import { type EndedBy, watchedFetch } from './adapter/watched-fetch.ts';
import { type Asked, fault } from './faults.ts';
import type { Pace } from './pace.ts';
import type { Later } from './timers.ts';
import type { Vendor, VendorCall } from './vendors.ts';

/** Sends one request to one model of a vendor and reads the answer. It never tries again by itself. */

interface TimedVendor extends Vendor {
  readonly later: Later;
  readonly pace: Pace;
  now(): number;
}

export async function askVendor(call: VendorCall, vendor: TimedVendor): Promise<ModelAnswer> {
  const { config, provider, now } = vendor;
  const { request, traceparent } = call;
  const asked = { provider, model: request.model };
  const watched = watchedFetch(call.signal, config, vendor);
  const heard = nothingHeard(provider);
  try {
    const options = toCall(request, { ...config, provider });
    const model = await openedModel({ ...config, key: vendor.key }, request.model, watched);
    const { stream } = await model.doStream({
      ...options,
      headers: { 'idempotency-key': call.key, ...(traceparent !== undefined && { traceparent }) },
      abortSignal: watched.signal,
    });
    await listen(stream, heard, call);
  } catch (thrown) {
    if (thrown instanceof UnsendableMessage)
      return fault('input_invalid', asked, { message: thrown.message });
    return ended(watched.ended(), call, asked) ?? thrownFault(thrown, asked, now);
  } finally {
    watched.close();
  }
  if (config.kind !== 'google' && request.safetySettings !== undefined) {
    heard.warnings.push({ type: 'unsupported', feature: 'safetySettings' });
  }
  return ended(watched.ended(), call, asked) ?? conclude(heard, asked, now);
}

const TOO_LONG =
  'The call took longer in total than the host waits; see totalSeconds of the provider in BATON_MODELS.';

/** A stream that was ended here can look as if the provider had ended it, so this is judged first. */
function ended(by: EndedBy | undefined, { signal }: VendorCall, asked: Asked): ModelAnswer | undefined {
  if (signal.aborted) {
    return fault('provider_interrupted', asked, {
      message: 'The call was aborted: its answer is not awaited.',
    });
  }
  switch (by) {
    case 'first-byte':
    case 'silence':
      return fault('provider_timeout', asked);
    case 'total':
      return fault('provider_timeout', asked, { message: TOO_LONG });
    case 'size':
      return fault('provider_rejected', asked, { message: 'The answer of the model is too large.' });
    case 'html':
      return fault('provider_rejected', asked, { message: noStream('text/html') });
    case 'json':
      return fault('provider_rejected', asked, { message: noStream('application/json') });
    default:
      return undefined;
  }
}

function noStream(contentType: string): string {
  return `The provider answers with the content type ${contentType} instead of a stream of events; check baseURL of the provider in BATON_MODELS.`;
}
