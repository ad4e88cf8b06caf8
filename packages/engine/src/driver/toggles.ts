/** Capabilities that the conformance seams may switch off, to see that the host then behaves as if it never had them. */
export interface Toggles {
  isOn(name: string): boolean;
  /** `null` removes the override; the name `*` with `null` removes them all. */
  set(name: string, value: boolean | null): Readonly<Record<string, boolean>>;
}

export function togglesOf(): Toggles {
  const overlay = new Map<string, boolean>();
  return {
    isOn: (name) => overlay.get(name) ?? true,
    set(name, value) {
      if (name === '*') overlay.clear();
      else if (value === null) overlay.delete(name);
      else overlay.set(name, value);
      return Object.fromEntries(overlay);
    },
  };
}
