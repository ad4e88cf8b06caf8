import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder } from '../empty-folder.ts';

/**
 * Certificates for tests. They are valid from 2020 to 2120, except for `expired`. The authority has signed all of
 * them; the one of the server is for 127.0.0.1. They were made once with OpenSSL 3.0, for each name:
 *
 *   openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout name.key -out name.csr -subj /CN=name
 *   openssl ca -config ca.cnf -cert authority.pem -keyfile authority.key -in name.csr -out name.pem -notext -batch \
 *     -startdate 20200101000000Z -enddate 21200101000000Z
 *
 * The key of the authority was not kept.
 */

export interface TestCertificate {
  readonly pem: string;
  readonly key: string;
}

export const AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBWzCCAQGgAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlhdXRob3Jp
dHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWF1dGhvcml0eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFei6PMP55X++8Uy
/5D3bSAetqfv6YGdu2EP3J9ANXBwFVlZJguAht5WOQ6i3Tf6praAi+V7Td8QjWNA
Cdi9J82jQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIEMB0GA1Ud
DgQWBBRPl2WPhkpykf7X6dyTI1sswMf+2TAKBggqhkjOPQQDAgNIADBFAiAxDGUS
8lIEJEeedHLXwmemRdDtPNnHAk2+q9Px8+P8+wIhAKYKg28FRyByb4hM77FybcPV
96elkxDdtmr+H0eB7Uis
-----END CERTIFICATE-----
`;

export const SERVER: TestCertificate = {
  pem: `-----BEGIN CERTIFICATE-----
MIIBczCCARqgAwIBAgIBAjAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlhdXRob3Jp
dHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBExDzANBgNVBAMM
BnNlcnZlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAKORr3LJ3ovUcnKIxQz
ROxEvR5Ooh6YFimVatHTSx0xJYxJBcUH48xA5TjgRB/pe1+tPaVT6YdRyP1EQgTD
Kb+jXjBcMAkGA1UdEwQCMAAwDwYDVR0RBAgwBocEfwAAATAdBgNVHQ4EFgQUT9fs
Jf+wlvVfK5d2DE9fNKWHOVgwHwYDVR0jBBgwFoAUT5dlj4ZKcpH+1+nckyNbLMDH
/tkwCgYIKoZIzj0EAwIDRwAwRAIgU5UbdMoAj7D6MKLDt8m6spheSPzlP8NO7Jgl
d003BIYCIGRVKtBuv8e3kopwifcuZXrjVgDNkyMrcm9KL0XxAnPS
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbUJAeXj/8atVcwCK
D3GEaRWMLjMr49c8aVva32RoEqmhRANCAAQCjka9yyd6L1HJyiMUM0TsRL0eTqIe
mBYplWrR00sdMSWMSQXFB+PMQOU44EQf6XtfrT2lU+mHUcj9REIEwym/
-----END PRIVATE KEY-----
`,
};

export const FIRST: TestCertificate = {
  pem: `-----BEGIN CERTIFICATE-----
MIIBYzCCAQigAwIBAgIBAzAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlhdXRob3Jp
dHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBAxDjAMBgNVBAMM
BWZpcnN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEsPHPzpEg+Ta7wz3yjxdc
ngDYoql5JqBtSOUDjf7w4repKFszSumgYdc10/hIXlycqGZrVmqsCdhiky2c2asE
J6NNMEswCQYDVR0TBAIwADAdBgNVHQ4EFgQU/6EdGNQmkSDp3dI/C4L8o6eVNMkw
HwYDVR0jBBgwFoAUT5dlj4ZKcpH+1+nckyNbLMDH/tkwCgYIKoZIzj0EAwIDSQAw
RgIhAI3hs96gfb8jBtva8tj9LSbc7IUXnRmLWr/wb9BrE4prAiEAllIIziZrburL
Mm2OK0yy9U99ST3WQncVTrBtKgrZLeA=
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgkOxtOA8ax4n/HEtw
oqzWFgpBeZPS61t+W0GX2gNtcw2hRANCAASw8c/OkSD5NrvDPfKPF1yeANiiqXkm
oG1I5QON/vDit6koWzNK6aBh1zXT+EheXJyoZmtWaqwJ2GKTLZzZqwQn
-----END PRIVATE KEY-----
`,
};

export const SECOND: TestCertificate = {
  pem: `-----BEGIN CERTIFICATE-----
MIIBYzCCAQmgAwIBAgIBBDAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlhdXRob3Jp
dHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBExDzANBgNVBAMM
BnNlY29uZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABP8tYDAbr9nrDy8VkyW2
kDNOnlIEiUmFF1EBWIEtsfeNTF+Xe5w7Sn91MFTr9Pf/REOj7VmqAfx/SPoZmSNl
zsWjTTBLMAkGA1UdEwQCMAAwHQYDVR0OBBYEFCjgrGApj/cWtpyIQuvMZYfXjBQv
MB8GA1UdIwQYMBaAFE+XZY+GSnKR/tfp3JMjWyzAx/7ZMAoGCCqGSM49BAMCA0gA
MEUCIQCn1Wv2r3NmA8lRcLn8L9xtJ5dBL6QiA2Zdnz5IgV5hpAIgKYSUSd+NyVR0
xcy19AFriCFDNUR3Ob9iHB9wnt3GfXw=
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgalvCGGtGE3uEyiy7
/jLP22cwZa32Sr6ef4tIy2xwIiuhRANCAAT/LWAwG6/Z6w8vFZMltpAzTp5SBIlJ
hRdRAViBLbH3jUxfl3ucO0p/dTBU6/T3/0RDo+1ZqgH8f0j6GZkjZc7F
-----END PRIVATE KEY-----
`,
};

export const EXPIRED: TestCertificate = {
  pem: `-----BEGIN CERTIFICATE-----
MIIBYjCCAQigAwIBAgIBBTAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlhdXRob3Jp
dHkwHhcNMjAwMTAxMDAwMDAwWhcNMjEwMTAxMDAwMDAwWjASMRAwDgYDVQQDDAdl
eHBpcmVkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEILpJVpD++sSs0c+B0eAu
wyQVw2jaejrCZ8pc0Pdi63gKiCKlgiuHtkovD30WRt3sIIoDTfsNoQdQr3b07iZz
lKNNMEswCQYDVR0TBAIwADAdBgNVHQ4EFgQUSEO4Ep+C50q/oeRtCySlwNYFfq8w
HwYDVR0jBBgwFoAUT5dlj4ZKcpH+1+nckyNbLMDH/tkwCgYIKoZIzj0EAwIDSAAw
RQIhAP4zVjUiWZcaNdBJ2e7YohKnTq4cWPgXuhb/lMYx+odkAiB9hJc1hg3qrEgB
pGQF80Ygb5WtOYUBUVlG1OUs1epzNA==
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgpl2IqzWJf3K+9Wt+
jvrGY9xaGjsipNxVMg0fIo5reyOhRANCAAQguklWkP76xKzRz4HR4C7DJBXDaNp6
OsJnylzQ92LreAqIIqWCK4e2Si8PfRZG3ewgigNN+w2hB1CvdvTuJnOU
-----END PRIVATE KEY-----
`,
};

/** Writes certificates and keys to a new folder that only this user can read. Returns the names of the files. */
export function filesOf({ pem, key }: TestCertificate) {
  const folder = emptyFolder();
  const files = {
    file: join(folder, 'certificate.pem'),
    keyFile: join(folder, 'certificate.key'),
    caFile: join(folder, 'authority.pem'),
  };
  writeFileSync(files.file, pem);
  writeFileSync(files.keyFile, key, { mode: 0o600 });
  writeFileSync(files.caFile, AUTHORITY);
  return files;
}
