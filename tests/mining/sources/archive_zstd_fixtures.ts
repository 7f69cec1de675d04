/**
 * Zstandard files of posts, in base64, for tests that must run where no `zstd` is installed.
 * Made with the zstd command line 1.5.4 from 60 lines of our own (lines 1-40 and 41-60, ids z1 to
 * z60): `zstd -19 < first` and `zstd -3 < second` for the two frames; `zstd -12 --long=27` and
 * `--long=31` over all of them from standard input, so that the frame declares the whole window.
 */

/** A skippable frame of 11 bytes, lines 1-40, an empty skippable frame, lines 41-60. */
export const TWO_FRAMES =
  "UypNGAsAAABoZWxsbyB0aGVyZSi1L/0EaG0RABYfUB9QTZsDBBh86/pBsz6BteOKgoCCWVqyZcoIF20y06p6XQBF" +
  "ADwASGsWbUkQaA8MtoaCwMbQUIFBJFHYGAwowFhYkGloLYJlk7BhWGgwCCRao6A0JFHINAkdGIsCGYhkQVguDcGh" +
  "8cCmNE0raEqTNIvWNAmCtAWhwRwMODpxcOBAkoMi1977v3fXdpXbtj0+PeUpT1/GyMjSWlxc7JSiovKllBI6Qggt" +
  "H9KWu6vPMAtl4f/VSmsNYxugQnHgaAsjoUeVA0dC0zgIZldWStlPTikZGRkh5NXz3bm9b968z7Zp01ZX16xZnzs+" +
  "5jGPf1bGWJNX11plVVVK1U1NKRWhIoS67noXABXn587xHM/d7Iyxp66vtc7UlVJ3ekrp6NARQl+/3937/+fP/+z7" +
  "9Omr9j179qfn5zzn+ZkZY063vNYKgM+oEYBxGKSoTmU5oKdQaAwSgCAQBAkBseDfIfiGoDBGHwN2YRwJhl6ERCCW" +
  "BQglMa+AwICv/SFZ6jqJsQ1ggRvDFJR885aiu6TE9Mthhf2aEHDULbm7BXCBV39FlroOYqzABDcWICul3nyH6B4p" +
  "aPp7WUX/QhQ4aivuiiscDMS6kKFF4pJpBUMvQkEQywJCAQoAZ6qk0Uk/TCuiH1XRl0JCsdVPMD54EkwNcTpPiDf4" +
  "pEkYiGDknrSQFew7FUAGW/sU8AwSCIRA+xSY1Ownf+M2DWkMZANeU5tZFTvvy9i5OgTsiDnblPwB9gnlKFAqTRgA" +
  "AAAAKLUv/QRYHQ0AttQ9IVBJrAMg2m0Balh+/xhC8BuUta5oGdmavUIGjEDCzMfpPTYAOQA0AFMhG0apzox6wDQK" +
  "dRBiAzUtbTpx8Czacs4WWD225Yxz1Vik5+qxM0LYTeJxVo1Na2H1WBiXIT2RbpJVYxG9LB2TBQGQivQ1Qg+BMqCI" +
  "XhjtRya0lakKRmGU2sqAIpgFoo5Bd4KmpTPqVBYPE6DQAe8x5Zxzj1trjZkxxp7+3y3YzVorKcdB5EIptRbL7ukw" +
  "86GhKT22GyZxVo20UEt6bDKfAhiHBsSIMcbSe+8x55x77e3t7bzY/6v/5/UnVv+f+Hw+v6Wnp6cjdHR0dLXeC3Co" +
  "caRPQcqoUacxgIOUJM0BEsggBAocKfgvOYIfywpoHzDHXLhPrznB6Oc3VB+soL4aVpA5dYpx8X8B64SyRnMnfirN" +
  "CUbQWKvB6luR2+fvQSa0ycoMRWEy4uKjMwC7CvZMm8A7H7q8Rw94uXQyl83Zg0yuz2fL6+MUWLWO3HZnb7tcNnbd" +
  "4E68vHSKp3yieOF7sNulwW5/raREZL+QKX31XzV+9p+D+at5hg41";

/** One frame with a window of 128 MiB. */
export const LONG_27 =
  "KLUv/QSIFRoA1iFYIUBt0waUor7Vp/jK4hC/9zthbggXSSOSMpOwl0m4iugaE2MATwA6AE0DmQIJrIOxfSwItguP" +
  "JTCWKIvtQoEJMAoMcxh2HwztUexZUHgwAxD7JCybKIs5j2INTJNgjoPSJIbWLELDw2G7PM8SIFugXR7lQaZAjH2Q" +
  "LdCjJMk2CA8HmQJhBLIFShQkEYjGlBBRVRXJzEzM4xHxRiOiQkQ8H94dHtdaKyEIgqxUSilnSinpVVWRTLbJTPQd" +
  "h7Eo/E/0svs4tgEmlC3QNkzDQabAU2gL1HgeB8k+jA2Xl5eX91r/8f/////z/////3//P/4//r9tp23ftm/btm20" +
  "bbTv27ZtW6HRaPTl+Xw+/2utlYwgiIgqABNnW6BtmIaDTHHpUkpLVRFVVaqaVFVTVfWqqlZVRVU9PT09fa6VmUeQ" +
  "zLRSStkppaSoqork/0zbCtfhWKXhYAQsdrb27mGwUGCZ+YEpqGGkTkGKCiqlaQyBBiKRTGB3DhJIIAgkCDDBCMGP" +
  "QAiCEDxCgKBxEuQDPPc+MczmUfDHzdNtAi2yd/T4dOE0TaA1WkdbpyvP2wQ64Tmq2HTpVCfQNh9Hwc+FgIBTYQFO" +
  "1eff1NjLrVGZQFtvo3BLKVaXCbQCG21YrjhrE+g0avTg4sZtp02Etws13JGpjyt76RiqJT23joQkPDEv97+78u+1" +
  "wVW53H2J0hTYTS/HOnVQ8t81yf90kDyHLWPU81ybLCuQYBuBPNeGGRx/nUQqBASHse7gZYJrkkHJRmA/YSmH4PDW" +
  "LfAZl4LTEIvBCR0G3z2m4aJNwffQaQ68Jpt0aItj/mKxKbg+ei2n4OCVRPBBi8F7GEs40ULgu5fhM/D599pU+GvE" +
  "8Dt2GnwHLPmujQ0+BQt7716Fz8Bn3ouIsxwL9HAoJoLLMbhQGpAnPgSCufzLZuBtv6/6zsImGQic77UtpMRAgvdO" +
  "6b1V3kIdgvG2ZE0spUxLEDwc9zW409uDLwDwMNzX3h6xIPLlsvaqatOHR/Shq7qwVP1kkHsUWPFdDpTZHmTwQRHq" +
  "9+CLRs2B7Sn30mOgePkvN1v4QcbiIgu4wenJRSAuqVAL4eeYKDTT39Q4VYsRMDUGYKwCt6ufAg==";

/** One frame with a window of 2 GiB. */
export const LONG_31 =
  "KLUv/QSoFRoA1iFYIUBt0waUor7Vp/jK4hC/9zthbggXSSOSMpOwl0m4iugaE2MATwA6AE0DmQIJrIOxfSwItguP" +
  "JTCWKIvtQoEJMAoMcxh2HwztUexZUHgwAxD7JCybKIs5j2INTJNgjoPSJIbWLELDw2G7PM8SIFugXR7lQaZAjH2Q" +
  "LdCjJMk2CA8HmQJhBLIFShQkEYjGlBBRVRXJzEzM4xHxRiOiQkQ8H94dHtdaKyEIgqxUSilnSinpVVWRTLbJTPQd" +
  "h7Eo/E/0svs4tgEmlC3QNkzDQabAU2gL1HgeB8k+jA2Xl5eX91r/8f/////z/////3//P/4//r9tp23ftm/btm20" +
  "bbTv27ZtW6HRaPTl+Xw+/2utlYwgiIgqABNnW6BtmIaDTHHpUkpLVRFVVaqaVFVTVfWqqlZVRVU9PT09fa6VmUeQ" +
  "zLRSStkppaSoqork/0zbCtfhWKXhYAQsdrb27mGwUGCZ+YEpqGGkTkGKCiqlaQyBBiKRTGB3DhJIIAgkCDDBCMGP" +
  "QAiCEDxCgKBxEuQDPPc+MczmUfDHzdNtAi2yd/T4dOE0TaA1WkdbpyvP2wQ64Tmq2HTpVCfQNh9Hwc+FgIBTYQFO" +
  "1eff1NjLrVGZQFtvo3BLKVaXCbQCG21YrjhrE+g0avTg4sZtp02Etws13JGpjyt76RiqJT23joQkPDEv97+78u+1" +
  "wVW53H2J0hTYTS/HOnVQ8t81yf90kDyHLWPU81ybLCuQYBuBPNeGGRx/nUQqBASHse7gZYJrkkHJRmA/YSmH4PDW" +
  "LfAZl4LTEIvBCR0G3z2m4aJNwffQaQ68Jpt0aItj/mKxKbg+ei2n4OCVRPBBi8F7GEs40ULgu5fhM/D599pU+GvE" +
  "8Dt2GnwHLPmujQ0+BQt7716Fz8Bn3ouIsxwL9HAoJoLLMbhQGpAnPgSCufzLZuBtv6/6zsImGQic77UtpMRAgvdO" +
  "6b1V3kIdgvG2ZE0spUxLEDwc9zW409uDLwDwMNzX3h6xIPLlsvaqatOHR/Shq7qwVP1kkHsUWPFdDpTZHmTwQRHq" +
  "9+CLRs2B7Sn30mOgePkvN1v4QcbiIgu4wenJRSAuqVAL4eeYKDTT39Q4VYsRMDUGYKwCt6ufAg==";
