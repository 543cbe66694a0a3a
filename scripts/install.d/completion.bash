# shellcheck shell=bash
# bash completion of plbrun: options, files, balancers, kernels, and settings as section.key=value. The words
# come from the program itself. make install places this file where bash-completion finds it.
#
# Behind a launcher: `complete -o bashdefault -o default -F _plbrun mpirun` completes what follows plbrun. Behind
# plbrun-mpirun that is so at once.

# The words that belong together: bash splits section.key=value at the equals sign.
_plbrun_words() {
    local i word at=-1
    program='' words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ -z $program ]]; then
            if [[ ${word##*/} == plbrun ]]; then program=$word; fi
        elif ((at >= 0)) && [[ $word == "=" || (${words[at]} == *= && ${COMP_WORDS[i - 1]} == "=") ]]; then
            words[at]+=$word
        else
            words[++at]=$word
        fi
    done
}
_plbrun_files() { # ENDING...: folders, and files that end so
    local end
    for end in "$@"; do mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X "!*.$end" -- "$current"); done
    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$current")
    compopt -o filenames 2>/dev/null
}
_plbrun_choose() { # WORD...
    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$*" -- "$current")
}
_plbrun_first_words() { "$program" "$@" 2>/dev/null | sed -nE 's/^([^ ]+).*/\1/p'; }
# The settings of the job, without their values.
_plbrun_settings() { "$program" --show-config "$conf" 2>/dev/null | sed -nE 's/^([^ ]+) = .*/\1=/p'; }

_plbrun_value() { # OPTION-OR-SETTING
    case $1 in
    --balancer | balance.balancer) _plbrun_choose $(_plbrun_first_words --balancer help) help; _plbrun_files so ;;
    app.kernel) _plbrun_choose $(_plbrun_first_words --kernels); _plbrun_files so py ;;
    --report) _plbrun_choose help schema; _plbrun_files json html ;;
    --trace) _plbrun_files json html ;;
    --pareto=) _plbrun_files json svg ;;
    --simulate | cluster.file) _plbrun_files cluster ;;
    --replay | --compare | *.json) _plbrun_files json ;;
    --journal | run.journal | --join | run.join | --lines | command.lines | --joblog | command.joblog) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    --progress) _plbrun_choose json ;;
    --log) _plbrun_choose error warning info debug ;;
    --seed | --run | --range | --jobs | -j | --retries | --timeout | --new-kernel) ;;
    *) return 1 ;;
    esac
}

_plbrun() {
    local program words current previous conf='' i
    COMPREPLY=()
    _plbrun_words
    [[ -n $program && ${#words[@]} -gt 0 ]] || return 0
    current=${words[-1]} previous=''
    if ((${#words[@]} > 1)); then previous=${words[-2]}; fi
    for ((i = 0; i < ${#words[@]} - 1; i++)); do
        case ${words[i]} in *.conf) conf=${words[i]} ;; esac
    done
    case $current in
    *=*)
        i=${current%%=*} current=${current#*=}
        _plbrun_value "${i/#--pareto/--pareto=}" # which has a value only so
        ;;
    -*) _plbrun_choose $("$program" --help 2>/dev/null | sed -nE 's/^ +(--[a-z-]+).*/\1/p') ;;
    *)
        if _plbrun_value "$previous"; then return 0; fi
        if [[ -z $conf ]]; then
            _plbrun_files conf
        else
            compopt -o nospace 2>/dev/null
            _plbrun_choose $(_plbrun_settings)
        fi
        ;;
    esac
}
complete -F _plbrun plbrun
complete -o bashdefault -o default -F _plbrun plbrun-mpirun
