/** Which of the advertised capabilities are on. */
export interface Toggles {
  isOn(name: string): boolean;
}

export const ALL_ON: Toggles = { isOn: () => true };

/** Capabilities that the conformance seams can switch off. The host then behaves as if it lacked them. */
export interface SettableToggles extends Toggles {
  /** `null` removes the override; the name `*` with `null` removes them all. */
  set(name: string, value: boolean | null): Readonly<Record<string, boolean>>;
}

export function togglesOf(): SettableToggles {
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
