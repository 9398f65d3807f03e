//! Pins, LEDs, timers and PCIe control (data sheet 8.2.3).

use super::bits;

bits! {
    /// I2C pins of the SFP+ module.
    I2cctl {
        CLK_IN 0 "clock line as it is";
        CLK_OUT 1 "clock line as driven";
        DATA_IN 2 "data line as it is";
        DATA_OUT 3 "data line as driven";
    }
    /// LED functions. Modes: 0 link, 1 10G link, 2 MAC activity, 3 filter activity, 4 link and activity, 5 1G link,
    /// 14 on, 15 off.
    Ledctl {
        GLOBAL_BLINK 5 "blink rate of all LEDs, 0 is 200 ms";
        LED0_IVRT 6 "LED 0 inverted";
        LED0_BLINK 7 "LED 0 blinks";
        LED1_IVRT 14 "LED 1 inverted";
        LED1_BLINK 15 "LED 1 blinks";
        LED2_IVRT 22 "LED 2 inverted";
        LED2_BLINK 23 "LED 2 blinks";
        LED3_IVRT 30 "LED 3 inverted";
        LED3_BLINK 31 "LED 3 blinks";
    } fields {
        LED0_MODE [3:0] led0_mode with_led0_mode "what LED 0 shows";
        LED1_MODE [11:8] led1_mode with_led1_mode "what LED 1 shows";
        LED2_MODE [19:16] led2_mode with_led2_mode "what LED 2 shows";
        LED3_MODE [27:24] led3_mode with_led3_mode "what LED 3 shows";
    }
    /// TCP timer.
    Tcptimer {
        KICKSTART 8 "start the timer";
        TCPCNTEN 9 "timer counts";
        TCPCNTFINISH 10 "end the interval now";
        LOOP 11 "start again after each interval";
    } fields {
        DURATION [7:0] duration with_duration "length of the interval in ms";
    }
    /// Power state of the functions.
    Factps {
        LAN0_EN 2 "LAN 0 is enabled";
        FUNC0_AUX 3 "function 0 keeps auxiliary power management";
        LAN1_EN 8 "LAN 1 is enabled";
        FUNC1_AUX 9 "function 1 keeps auxiliary power management";
        MNGCG 29 "management clock is gated";
        LFS 30 "function numbers of the ports are swapped";
        PM_CHG 31 "a power state changed";
    } fields {
        FUNC0_PM [1:0] func0_pm with_func0_pm "power state of function 0";
        FUNC1_PM [7:6] func1_pm with_func1_pm "power state of function 1";
    }
    /// General resource control.
    Grc {
        MNG_EN 0 "manageability is enabled";
        APME 1 "wake up by APM";
    }
    /// PCIe control.
    Gcr {
        CMPL_RESEND 16 "send a request again when its completion timed out";
        CAP_VER2 18 "PCIe capability version two: the timeout stands in configuration space";
    } fields {
        CMPL_TMOUT [15:12] cmpl_tmout with_cmpl_tmout "completion timeout without CAP_VER2: 0 default, 1 10 ms";
    }
    /// Direct cache access.
    DcaCtrl {
        DCA_DIS 0 "direct cache access is off";
    } fields {
        DCA_MODE [4:1] dca_mode with_dca_mode "mode: 0 first generation, 1 second";
    }
    /// Sizes of the memory windows.
    Barctrl {
        CSRSIZE 13 "size code of the register space";
    } fields {
        FLSIZE [10:8] flsize with_flsize "size code of the flash";
    }
}
