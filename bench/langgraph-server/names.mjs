/** The graphs that the server serves. Each is in the file of this name. */

export const SUPERVISED = 'supervised';
export const SPEAKING = 'speaking';
