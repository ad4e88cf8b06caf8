import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EngineExtension } from '@baton/engine/extension';
import type { HostExtension } from '../host/host-extension.ts';

/** A module that extends the product. Each thread loads only its part, by the address of the module. */
export interface Extension {
  engine(): Promise<EngineExtension>;
  host(): Promise<HostExtension>;
}

export async function engineExtension(address: string | undefined): Promise<EngineExtension | undefined> {
  return address === undefined ? undefined : ((await import(address)) as Extension).engine();
}

/** Each host has an extension of its own, because it may have a state. */
export async function hostExtension(address: string | undefined): Promise<HostExtension | undefined> {
  return address === undefined ? undefined : ((await import(address)) as Extension).host();
}

/** The address of the package for conformance suites, which an installed Baton does not contain. */
export function conformanceExtension(): string {
  // The bundle of a checkout has it in a folder beside its other files.
  const bundled = new URL('./conformance/extension.js', import.meta.url);
  if (existsSync(fileURLToPath(bundled))) return bundled.href;
  try {
    return import.meta.resolve('@baton/conformance');
  } catch {
    throw new Error(
      'BATON_TEST_SEAMS needs the package @baton/conformance, which is only in the repository of Baton: ' +
        'start the host there with npm start, or leave the setting out',
    );
  }
}
