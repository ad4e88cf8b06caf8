import { useSyncExternalStore } from 'react';
import { observable } from '../../observable.ts';

/** Whether the live feed is open. While it is not, pages show what they knew last. */
const connected = observable(true);

export const setConnected = connected.set;

export function useConnected(): boolean {
  return useSyncExternalStore(connected.subscribe, connected.get);
}
