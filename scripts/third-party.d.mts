/** The licenses of the packages that these modules are from, as one text. */
export function thirdPartyLicenses(moduleIds: readonly string[]): string;
