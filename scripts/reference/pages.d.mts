export declare function referencePages(): Promise<Readonly<Record<string, string>>>;
