import { amount } from './numbers.mjs';

/** What a figure is held against: the text of the target, what came out, and whether that is enough. */

/** Undefined figures come from a peer that is not there; then nothing can be said. */
function judged(text, figures, verdict) {
  return figures.some((figure) => figure === undefined) ? { text } : { text, ...verdict() };
}

export function atLeastTimes(factor, rate, other, name) {
  return judged(`≥ ${factor} × ${name}`, [rate, other], () => ({
    outcome: `${amount(rate / other)} ×`,
    met: rate / other >= factor,
  }));
}

/** For durations, where less is faster. */
export function timesFaster(factor, duration, other, name) {
  return atLeastTimes(factor, other, duration, name);
}

export function atLeastShare(percent, rate, limit, name) {
  return judged(`≥ ${percent} % of ${name}`, [rate, limit], () => ({
    outcome: `${amount((rate / limit) * 100)} %`,
    met: (rate / limit) * 100 >= percent,
  }));
}

/** No target: shown for those who want to know. */
export function share(rate, limit) {
  return { text: '', outcome: `${amount((rate / limit) * 100)} %` };
}

export function below(most, value, unit) {
  return judged(`< ${amountOf(most)} ${unit}`, [value], () => ({
    outcome: `${amount((value / most) * 100)} % of it`,
    met: value < most,
  }));
}

export function atMost(most, value, unit) {
  return judged(`≤ ${amountOf(most)} ${unit}`, [value], () => ({ outcome: '', met: value <= most }));
}

/** For durations that may grow, but not in step with what they are compared by. */
export function atMostTimes(factor, duration, other, name) {
  return judged(`≤ ${factor} × ${name}`, [duration, other], () => ({
    outcome: `${amount(duration / other)} ×`,
    met: duration / other <= factor,
  }));
}

/** How much slower a rate is than another one, in percent. */
export function atMostSlower(percent, rate, other, name) {
  return judged(`≤ ${percent} % below ${name}`, [rate, other], () => {
    const slower = (1 - rate / other) * 100;
    return { outcome: `${amount(slower)} %`, met: slower <= percent };
  });
}

/** Shown for those who want to know, held against nothing. */
export function noTarget(outcome = '') {
  return { text: '', outcome };
}

function amountOf(value) {
  return value.toLocaleString('en-US');
}
