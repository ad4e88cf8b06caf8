import { useSyncExternalStore } from 'react';

/** Whether the live feed is open. While it is not, pages show what they knew last. */
let isConnected = true;
const listeners = new Set<() => void>();

export function setConnected(connected: boolean): void {
  if (connected === isConnected) return;
  isConnected = connected;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useConnected(): boolean {
  return useSyncExternalStore(subscribe, () => isConnected);
}
