import { amount } from './numbers.mjs';

/** Targets: each function returns the text of the target, the outcome, and whether the target was reached. */

/** A figure is undefined if the peer is not installed. Then there is no outcome. */
function judged(text, figures, verdict) {
  return figures.some((figure) => figure === undefined) ? { text } : { text, ...verdict() };
}

export function atLeastTimes(factor, rate, other, name) {
  return judged(`≥ ${factor} × ${name}`, [rate, other], () => ({
    outcome: `${amount(rate / other)} ×`,
    met: rate / other >= factor,
  }));
}

/** For durations, where a smaller figure is better. */
export function timesFaster(factor, duration, other, name) {
  return atLeastTimes(factor, other, duration, name);
}

export function atLeastShare(percent, rate, limit, name) {
  return judged(`≥ ${percent} % of ${name}`, [rate, limit], () => ({
    outcome: `${amount((rate / limit) * 100)} %`,
    met: (rate / limit) * 100 >= percent,
  }));
}

export function atLeast(least, value, unit) {
  return judged(`≥ ${amountOf(least)} ${unit}`, [value], () => ({ outcome: '', met: value >= least }));
}

/** Shown without a target. */
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

/** For durations that may be longer than another one, up to a factor. */
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

/** Shown without a target and without a comparison. */
export function noTarget(outcome = '') {
  return { text: '', outcome };
}

function amountOf(value) {
  return value.toLocaleString('en-US');
}
