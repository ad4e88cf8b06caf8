import type { HostParts } from '@baton/server';

export const launch: NonNullable<HostParts['launch']>;
